// Tables with a row an epoch: skorch's, Chainer's PrintReport, CSV files, Markdown.
#include <fmt/format.h>

#include "src/base/core/text.hpp"
#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace table_text {

struct Column {
  std::string name;
  std::vector<std::string> cells;
};

std::string row_of(const std::vector<std::string>& cells, const std::string& separator) {
  if (separator == "|") {
    return "| " + join(cells, " | ") + " |";
  }
  if (separator != " ") {
    return join(cells, separator);
  }
  std::string row;
  for (const auto& cell : cells) {
    row += fmt::format("{:<20} ", cell);
  }
  return row;
}

void write(Program& p) {
  Plan plan(p);
  plan.part = false;
  plan.interrupted = -1;
  plan.first = 0;
  const auto base = p.whole(0, 1);
  const std::string separator = p.pick({",", ";", "\t", "|", " "});
  const bool validates = p.chance(0.6);
  const auto time = p.whole(0, 5);  // of the epoch, of its parts, in minutes, since the start, none
  const bool splits = validates && time == 1;
  std::vector<std::string> names{p.pick({"epoch", "Epoch"}), p.pick({"loss", "train_loss"})};
  if (validates) {
    names.emplace_back(p.pick({"val_loss", "valid_acc"}));
  }
  switch (time) {
    case 0:
      names.emplace_back(p.pick({"dur", "time", "epoch_time", "seconds", "duration_s"}));
      break;
    case 1:
      names.emplace_back(p.pick({"train_time", "train_seconds", "train_s", "Train (s)"}));
      break;
    case 2:
      names.emplace_back(p.pick({"time (min)", "minutes", "epoch_time_min"}));
      break;
    case 3:
      names.emplace_back(p.pick({"elapsed_time", "elapsed", "total_time", "wall_time"}));
      break;
    default:
      break;
  }
  if (splits) {
    names.emplace_back(p.pick({"val_time", "eval_seconds", "valid_s", "Eval (s)"}));
  }
  if (separator == " " && names.size() < 3) {
    names.emplace_back("lr");
  }
  p.text.commas_separate = separator == ",";
  if (p.chance(0.3)) {
    p.use_stamps(plan.step_s * static_cast<double>(plan.steps) * 2 + plan.evaluate_s);
  }
  p.line(row_of(names, separator));
  if (separator == "|") {
    p.line(row_of(std::vector<std::string>(names.size(), "---"), separator));
  }
  run(p, plan, [&](std::int64_t number, std::int64_t) {
    const double epoch_s = plan.step_s * static_cast<double>(plan.steps) * p.real(0.9, 1.1);
    const double test_s = validates ? plan.evaluate_s : 0;
    p.wait(epoch_s + test_s);
    auto& epoch = p.epoch(number);
    epoch.wall_s = epoch_s;
    epoch.evaluate_s = test_s;
    epoch.split_known = splits || !validates;
    epoch.from_start = number == plan.first;
    const auto loss = p.number(0.1, 6, 4);
    std::vector<std::string> cells{std::to_string(number + base), loss};
    epoch.metrics = {{names[1], std::stod(loss)}};
    if (validates) {
      cells.push_back(p.number(0.1, 6, 4));
    }
    const double both_s = epoch_s + test_s;
    const double stated_s = splits ? epoch_s : both_s;
    if (time < 2) {
      cells.push_back(fmt::format("{:.4f}", stated_s));
    } else if (time == 2) {
      cells.push_back(fmt::format("{:.5f}", stated_s / 60));
    } else if (time == 3) {
      cells.push_back(fmt::format("{:.3f}", p.now_s));
    }
    if (splits) {
      cells.push_back(fmt::format("{:.4f}", test_s));
      epoch.stated_evaluate_s = test_s;
    }
    if (time < 4) {
      epoch.stated_s = stated_s;
      epoch.stated_sum = !splits;
      epoch.stated_slack_s = 0.01 + 0.0001 * stated_s;
    }
    if (cells.size() < names.size()) {
      cells.emplace_back("0.01");
    }
    p.line(row_of(cells, separator));
  });
}

}  // namespace table_text

TextSpec table() {
  return {table_text::write};
}

}  // namespace epochcast::tests::texts
