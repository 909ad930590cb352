// Loops that people write by hand: a line at the end of an epoch, a heading before it, lines of
// steps.
#include <fmt/format.h>

#include <tuple>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace plain_text {
/// One line at the end of an epoch; {0} number, {1} total, {2} and {3} two metrics.
struct EndLine {
  const char* words;
  const char* first;
  const char* second;
  bool total;
};
const EndLine end_lines[] = {
    {"Epoch {0}/{1} | loss: {2} | val_loss: {3}", "loss", "val_loss", true},
    {"Epoch [{0}/{1}], Loss: {2}, Val Loss: {3}", "Loss", "Val Loss", true},
    {"epoch {0} loss {2} acc {3}", "loss", "acc", false},
    {"Epoch: {0} | train_loss: {2} | test_loss: {3}", "train_loss", "test_loss", false},
    {"[Epoch {0}/{1}] loss={2} val_acc={3}", "loss", "val_acc", true},
    {"Epoch {0:03d}: train_loss={2}, val_loss={3}", "train_loss", "val_loss", false},
    {"Epoch {0}, Loss: {2}, Accuracy: {3}", "Loss", "Accuracy", false},
    {"epoch={0} loss={2} val_loss={3}", "loss", "val_loss", false},
    {"Epoch {0}/{1}: loss {2}, accuracy {3}", "loss", "accuracy", true},
    {"Epoch: {0:03d}, Loss: {2}, Val: {3}", "Loss", "Val", false},
    {"Epoch {0} - Training loss: {2} - Validation loss: {3}", "Training loss", "Validation loss",
     false},
    {"Epoch {0} of {1}: train_loss {2} val_loss {3}", "train_loss", "val_loss", true},
    {"epoch: {0}/{1} train loss: {2} valid loss: {3}", "train loss", "valid loss", true},
};

/// A stated duration as people print it, and how far rounding takes it from the truth.
constexpr std::int64_t stated_styles = 9;
std::pair<std::string, double> stated(std::int64_t style, double seconds) {
  const auto s = static_cast<std::int64_t>(seconds);
  switch (style) {
    case 0:
      return {fmt::format(", time: {:.2f}s", seconds), 0.01};
    case 1:
      return {fmt::format(" ({:.1f}s)", seconds), 0.1};
    case 2:
      return {fmt::format(" time: {:.2f} min", seconds / 60), 0.31};
    case 3:
      return {fmt::format(" | Time: {}m {}s", s / 60, s % 60), 1};
    case 4:
      return {fmt::format(" elapsed: {:.4f} hours", seconds / 3600), 0.2};
    case 5:
      return {fmt::format(", took {}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60), 1};
    case 6:
      return {fmt::format(" time: {} minutes {} seconds", s / 60, s % 60), 1};
    case 7:
      return {fmt::format(" [{:.2f} sec]", seconds), 0.01};
    default:
      return {fmt::format(" | epoch_time: {:.1f}", seconds), 0.1};
  }
}

/// The duration of the epoch before it, on a line of its own.
std::string duration_line(std::int64_t style, double seconds) {
  const auto s = static_cast<std::int64_t>(seconds);
  switch (style % 4) {
    case 0:
      return fmt::format("Epoch time: {:.1f} s", seconds);
    case 1:
      return fmt::format("Time Taken: {} sec", s);
    case 2:
      return fmt::format("time: {}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60);
    default:
      return fmt::format("Epoch took {:.2f} seconds", seconds);
  }
}

std::string words_of(const EndLine& form, std::int64_t printed, std::int64_t total,
                     const std::string& first, const std::string& second) {
  return fmt::format(fmt::runtime(form.words), printed, total, first, second);
}

/// Which whole epochs, counted from 0, are printed: each, or each Nth in one of the usual ways.
std::vector<std::int64_t> printed_epochs(Program& p, std::int64_t base, std::int64_t total) {
  const auto every = p.pick<std::int64_t>({2, 5, 10});
  std::vector<std::int64_t> printed;
  const auto way = p.whole(0, 2);
  for (std::int64_t e = 0; e < total; ++e) {
    const bool round = (e + base) % every == 0;  // as the printed number is
    if (round || (way == 1 && e + 1 == total) || (way == 2 && e == 0)) {
      printed.push_back(e);
    }
  }
  return printed;
}

void every_nth(Program& p, const EndLine& form, std::int64_t base) {
  p.kind("every Nth epoch");
  const auto total = p.whole(24, 64);
  const double epoch_s = p.spread(1.5, 400);
  if (p.chance(0.6)) {
    p.use_stamps(epoch_s * 10);
  }
  p.start_lines();
  const auto printed = printed_epochs(p, base, total);
  double begin_s = 0;
  std::int64_t next = 0;
  for (const auto last : printed) {
    const auto count = last - next + 1;
    p.wait(epoch_s * static_cast<double>(count) * p.real(0.98, 1.02));
    const auto a = p.number(0.1, 3, 4);
    const auto b = p.number(0.1, 3, 4);
    p.line(words_of(form, last + base, total, a, b));
    for (; next <= last; ++next) {
      auto& epoch = p.epoch(next);
      epoch.wall_s = (p.now_s - begin_s) / static_cast<double>(count);
      epoch.from_start = begin_s == 0 && count == 1;
      epoch.slack_s = begin_s == 0 ? p.text.first_stamp_s : 0;
    }
    p.text.epochs.back().metrics = {{form.first, std::stod(a)}, {form.second, std::stod(b)}};
    begin_s = p.now_s;
  }
  if (form.total) {
    p.text.totals = {total, total + 1 - base};
  }
}

void folds(Program& p, const EndLine& form) {
  p.kind("folds");
  const auto epochs = p.whole(2, 5);
  const auto count = p.whole(2, 5);
  const double epoch_s = p.spread(3, 2000);
  if (p.chance(0.7)) {
    p.use_stamps(epoch_s);
  }
  const auto heading = p.pick({"Fold {}", "===== Fold {} =====", "FOLD: {}", "fold {}", "Fold {}/5",
                               "Training fold {}", "--- Stage {} ---"});
  p.start_lines();
  for (std::int64_t fold = 0; fold < count; ++fold) {
    p.line(fmt::format(fmt::runtime(heading), fold + 1));
    for (std::int64_t e = 0; e < epochs; ++e) {
      const double begin_s = p.now_s;
      p.wait(epoch_s * p.real(0.95, 1.05));
      const auto a = p.number(0.1, 3, 4);
      const auto b = p.number(0.1, 3, 4);
      p.line(words_of(form, e + 1, epochs, a, b));
      auto& epoch = p.epoch(fold * epochs + e);
      epoch.wall_s = p.now_s - begin_s;
      epoch.metrics = {{form.first, std::stod(a)}, {form.second, std::stod(b)}};
    }
  }
}

void end_line_loop(Program& p) {
  const auto& form = end_lines[p.whole(0, std::ssize(end_lines) - 1)];
  const auto base = p.whole(0, 1);
  if (p.chance(0.15)) {
    return every_nth(p, form, base);
  }
  if (p.chance(0.1)) {
    return folds(p, form);
  }
  Plan plan(p);
  const double epoch_s = plan.step_s * static_cast<double>(plan.steps);
  if (p.chance(0.6)) {
    p.use_stamps(plan.longest_s());
  }
  const bool states = p.chance(0.4);
  const auto style = p.whole(0, stated_styles - 1);
  const bool own_line = p.chance(0.25);
  const bool between_stamps = p.stamped() && p.chance(0.07);
  const auto ranks = p.chance(0.1) ? p.whole(2, 4) : 1;
  p.wait(p.real(0.1, 3));
  bool seen = true;
  const bool nans = p.chance(0.05);
  if (p.chance(0.85)) {
    p.start_lines();
  } else {
    seen = false;
    p.kind("no first line");
  }
  if (ranks > 1) {
    p.use_ranks(static_cast<int>(ranks));
  }
  if (plan.first > 0) {
    p.text.numbers_open = base == 0 || !form.total;
  }
  const bool told = seen && ranks == 1 && p.dimension(0.3);
  if (told) {
    p.line(p.pick({"Start training", "Training started.", "beginning training ..."}));
  }
  double begin_s = told ? p.now_s : 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    if (p.begun_s() > begin_s) {
      begin_s = p.begun_s();
    }
    p.wait(epoch_s * p.real(0.95, 1.05) * (number == 0 ? 1.3 : 1));
    if (steps < plan.steps) {
      return;
    }
    p.noise(0.1);
    const auto a = nans ? p.pick({"nan", "inf", "NaN"}) : p.number(0.1, 3, 4);
    const auto b = p.number(0.1, 3, 4);
    auto words = words_of(form, number + base, plan.total, a, b);
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.from_start = number == plan.first && p.begun_s() == 0 && !told;
    epoch.starts_unseen = epoch.from_start && !seen;
    if (!nans) {
      epoch.metrics = {{form.first, std::stod(a)}};
    }
    epoch.metrics.push_back({form.second, std::stod(b)});
    std::string suffix;
    if (states) {
      double rounding = 0;
      std::tie(suffix, rounding) = stated(style, epoch.wall_s);
      words += suffix;
      epoch.stated_s = epoch.wall_s;
      epoch.stated_slack_s = rounding;
      epoch.slack_s = rounding;
    }
    if (states && own_line) {
      p.line(words.substr(0, words.size() - suffix.size()));
      words = duration_line(style, epoch.wall_s);
      epoch.stated_slack_s = epoch.slack_s = 1;
    }
    if (between_stamps) {  // its line has no stamp, that before it has
      p.line("validation done");
      p.plain(words);
      p.text.ambiguous = true;
    } else {
      p.line(words);
    }
    begin_s = p.now_s;
    p.noise(0.2);
    if (p.chance(0.1)) {
      p.line(fmt::format("best loss 0.7341 at epoch {}", p.whole(plan.first, number) + base));
    }
    if (p.chance(0.05)) {
      p.line(fmt::format("Epoch {:05d}: reducing learning rate of group 0 to 7.3410e-04.",
                         number + 1));
    }
  });
  if (plan.interrupted >= 0) {
    p.text.ambiguous =
        true;  // a pause between two lines of epochs: nothing shows it but its length
  }
  if (form.total) {
    p.text.totals = base == 1 ? std::vector{plan.total} : std::vector{plan.total, plan.total + 1};
  }
}

/// "Epoch 0/24", "----------", "train Loss: ...", "val Loss: ...": PyTorch's transfer learning
/// tutorial; MONAI's tutorials ("epoch 1/4", "epoch 1 average loss", "current epoch: 1").
void heading_loop(Program& p) {
  Plan plan(p);
  if (p.chance(0.6)) {
    p.use_stamps(plan.longest_s());
  }
  const double evaluate_s = std::max(plan.evaluate_s, 1.0);
  const auto way = p.whole(0, 3);
  const auto base = way == 0 ? 0 : 1;
  p.text.numbers_open = plan.first > 0 && (base == 0 || way == 2);
  p.wait(p.real(0.1, 3));
  p.start_lines();
  p.wait(p.real(0.1, 20));
  std::int64_t best = plan.first;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const auto printed = number + base;
    p.line(way == 0   ? fmt::format("Epoch {}/{}", printed, plan.total - 1)
           : way == 1 ? fmt::format("epoch {}/{}", printed, plan.total)
           : way == 2 ? fmt::format("EPOCH {}:", printed)
                      : fmt::format("===== Epoch {}/{} =====", printed, plan.total));
    if (way < 2) {
      p.line("----------");
    }
    p.wait(plan.step_s * static_cast<double>(steps) * p.real(0.97, 1.03));
    if (steps < plan.steps) {
      return;
    }
    p.noise(0.1);
    const double trained_s = p.now_s;
    const auto a = p.number(0.1, 3, 4);
    const auto b = p.number(0.1, 1, 4);
    auto& epoch = p.epoch(number);
    epoch.wall_s = trained_s - begin_s;
    epoch.evaluate_s = evaluate_s;
    if (way == 1) {
      p.line(fmt::format("epoch {} average loss: {}", printed, a));
      p.wait(evaluate_s);
      p.line(fmt::format("current epoch: {} current mean dice: {}", printed, b));
      best = p.chance(0.5) ? number : best;
      p.line(fmt::format("best mean dice: 0.7341 at epoch: {}", best + base));
    } else if (way == 2) {
      p.wait(evaluate_s);
      p.line(fmt::format("LOSS train {} valid {}", a, b));
      epoch.split_known = false;
    } else {
      p.line(fmt::format("train Loss: {} Acc: {}", a, p.number(0.1, 1, 4)));
      p.wait(evaluate_s);
      p.line(fmt::format("val Loss: {} Acc: {}", b, p.number(0.1, 1, 4)));
      p.line("");
    }
    epoch.metrics = {{"", std::stod(a)}, {"", std::stod(b)}};
    if (p.chance(0.3)) {
      p.wait(0.01);
      p.noise(0.3);
    }
  });
  if (way == 0) {
    p.text.totals = {plan.total, plan.total - 1};
  } else if (way != 2) {
    p.text.totals = {plan.total};
  }
  if (!plan.part && plan.end == plan.total) {
    p.line("Training complete in 73m 41s");
  }
}

/// A line after the training of an epoch, and one after its evaluation; both name the epoch.
void train_and_val_loop(Program& p) {
  p.kind("train and val lines");
  Plan plan(p);
  plan.interrupted = -1;
  if (p.chance(0.6)) {
    p.use_stamps(plan.longest_s());
  }
  const auto form = p.pick({"[{0}] epoch: {1}/{2} loss: {3}", "{0} Epoch {1}/{2}, Loss: {3}",
                            "Epoch {1}/{2} [{0}] loss: {3}", "Epoch {1}/{2} - {0} loss: {3}"});
  const double evaluate_s = std::max(plan.evaluate_s, 1.0);
  p.wait(p.real(0.1, 3));
  p.start_lines();
  double begin_s = 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    p.wait(plan.step_s * static_cast<double>(steps) * p.real(0.97, 1.03));
    if (steps < plan.steps) {
      return;
    }
    const auto a = p.number(0.1, 3, 4);
    const auto b = p.number(0.1, 3, 4);
    const double trained_s = p.now_s;
    p.line(fmt::format(fmt::runtime(form), "train", number + 1, plan.total, a));
    p.wait(evaluate_s);
    p.line(fmt::format(fmt::runtime(form), "val", number + 1, plan.total, b));
    auto& epoch = p.epoch(number);
    epoch.wall_s = trained_s - begin_s;
    epoch.evaluate_s = evaluate_s;
    epoch.from_start = number == plan.first;
    epoch.metrics = {{"", std::stod(a)}, {"", std::stod(b)}};
    begin_s = p.now_s;
    p.noise(0.1);
  });
  p.text.totals = {plan.total};
}

/// {0} epoch, {1} total, {2} step of the epoch from 1, {3} from 0, {4} steps, {5} of the run, {6}
/// loss.
struct StepLine {
  const char* words;
  const char* loss;
  int base;
  bool total, steps, of_run;
};
const StepLine step_lines[] = {
    {"Epoch [{0}/{1}], Step [{2}/{4}], Loss: {6}", "Loss", 1, true, true, false},
    {"Epoch {0}/{1} step {2}/{4} loss {6}", "loss", 1, true, true, false},
    {"[Epoch {0}/{1}] [Batch {3}/{4}] [D loss: {6}]", "D loss", 0, true, true, false},
    {"epoch={0} step={5} loss={6}", "loss", 0, false, false, true},
    {"| epoch: {0} | iter: {5} | loss: {6}", "loss", 1, false, false, true},
    {"Epoch: {0}, Batch: {2}, Loss: {6}", "Loss", 1, false, false, false},
    {"Epoch {0} | batch {2}/{4} | loss {6}", "loss", 1, false, true, false},
};

void step_loop(Program& p) {
  const auto& form = step_lines[p.whole(0, std::ssize(step_lines) - 1)];
  Plan plan(p);
  const bool from_0 = form.words[1] == 'E';  // PyTorch-GAN: each batch, from 0
  plan.every = from_0 ? 1 : plan.every;
  if (!form.steps) {
    plan.steps -= plan.steps % plan.every;
  }
  if (p.chance(0.6)) {
    p.use_stamps(plan.longest_s());
  }
  p.text.numbers_open = plan.first > 0 && (form.base == 0 || !form.total);
  p.wait(p.real(0.1, 3));
  p.start_lines();
  p.wait(p.real(0.1, 20));
  const bool seen_end = plan.steps % plan.every == 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    std::string loss;
    for (std::int64_t step = 1; step <= steps; ++step) {
      p.wait(step_s);
      if (step % plan.every == 0) {
        loss = p.number(0.1, 3, 4);
        p.line(fmt::format(fmt::runtime(form.words), number + form.base, plan.total, step, step - 1,
                           plan.steps, number * plan.steps + step, loss));
        p.noise(0.02);
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.slack_s = 0.05 * step_s * static_cast<double>(plan.every) +
                    (seen_end ? 0 : 0.1 * step_s * static_cast<double>(plan.every)) +
                    p.text.stamp_resolution_s * 0.5;
    if (form.steps) {
      epoch.steps = plan.steps;
    }
    if (number + 1 == plan.end && !plan.part) {
      epoch.maybe = !seen_end || !form.steps;
    }
    if (number + 1 == plan.interrupted) {
      epoch.maybe = true;
    }
    if (p.text.epochs.size() == 1 && number > 0 && form.of_run) {
      epoch.maybe = true;  // nothing shows where it began
    }
    epoch.metrics = {{form.loss, std::stod(loss)}};
  });
  p.text.ambiguous = plan.interrupted >= 0;
  if (plan.pause_s > 0) {
    for (auto& epoch : p.text.epochs) {
      epoch.slack_s += 0.2 * plan.step_s * static_cast<double>(plan.every);
    }
  }
  if (form.total) {
    p.text.totals =
        form.base == 1 ? std::vector{plan.total} : std::vector{plan.total, plan.total + 1};
  }
}

void write(Program& p) {
  if (p.chance(0.1)) {
    p.other_bar();
  }
  const auto way = p.real(0, 1);
  way < 0.5    ? end_line_loop(p)
  : way < 0.7  ? heading_loop(p)
  : way < 0.78 ? train_and_val_loop(p)
               : step_loop(p);
}

}  // namespace plain_text

TextSpec plain() {
  return {plain_text::write};
}

}  // namespace epochcast::tests::texts
