// Loops with tqdm's bars: one bar an epoch, with a description or without, nested in a bar of
// epochs, of two ranks.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace tqdm_text {
enum class Way { epoch_of, bare, epoch_from_0, epoch_from_1, nested };

struct Loop {
  Program& p;
  Plan plan;
  Way way;
  bool two_ranks, stamped;
  std::string train_name, test_name;
  std::int64_t tests;
  bool evaluates, says_val;
  bool pool;       ///< Of processes: bars of handing out and collecting stand around the work's.
  bool says_only;  ///< An evaluation without a bar.
  double begin_s = 0;
  std::int64_t done = 0;

  explicit Loop(Program& program)
      : p(program),
        plan(program),
        way(p.pick({Way::epoch_of, Way::bare, Way::epoch_from_0, Way::epoch_from_1, Way::nested})) {
    two_ranks = (way == Way::epoch_of || way == Way::bare) && p.chance(0.15);
    stamped = described() && p.chance(0.15);
    train_name = p.pick({"Train", "Training"});
    test_name = p.pick({"Validation", "Validating", "Eval", "Evaluating", "Test"});
    tests = p.whole(1, 12);
    evaluates = plan.evaluate_s > 0 && described();
    says_val = described() && (stamped || p.chance(0.3));
    plan.interrupted = -1;
    pool = described() && !two_ranks && !stamped &&
           plan.step_s * static_cast<double>(plan.steps) > 12 && p.chance(0.15);
    says_only = evaluates && !pool && !stamped && p.chance(0.3);
    evaluates = evaluates && !pool;
    says_val = says_val && !says_only;
    if (pool || says_only) {
      p.kind(pool ? "pool" : "evaluation without a bar");
    }
    if (!described()) {
      plan.total -= plan.first;
      plan.end -= plan.first;
      plan.first = 0;
    }
    p.text.numbers_open = plan.first > 0 && way != Way::epoch_of;
    p.text.live_resolution_s = 0.12;
  }

  bool described() const { return way != Way::bare && way != Way::nested; }

  std::string head(std::int64_t number) const {
    return pool ? "WORKING | " + of_epoch(number) : of_epoch(number);
  }

  std::string of_epoch(std::int64_t number) const {
    return way == Way::epoch_of       ? fmt::format("Epoch {}/{}", number + 1, plan.total)
           : way == Way::bare         ? std::string()
           : way == Way::epoch_from_0 ? fmt::format("Epoch {}", number)
           : way == Way::epoch_from_1 ? fmt::format("Epoch {}", number + 1)
                                      : train_name;
  }

  void outer_bar() {
    const double elapsed_s = p.now_s - begin_s;
    const double mean_s = elapsed_s / static_cast<double>(std::max<std::int64_t>(done, 1));
    const auto rate = done == 0    ? std::string("?it/s")
                      : mean_s < 1 ? fmt::format("{:5.2f}it/s", 1 / mean_s)
                                   : fmt::format("{:5.2f}s/it", mean_s);
    p.bytes(fmt::format(
        "\rEpochs: {:3d}%|          | {}/{} [{}<{}, {}]", 100 * done / plan.total, done, plan.total,
        tqdm_time(elapsed_s),
        done == 0 ? "?" : tqdm_time(mean_s * static_cast<double>(plan.total - done)), rate));
  }

  void draw(const std::string& name, std::int64_t step, double since_s,
            const std::string& postfix) {
    p.bytes(way == Way::nested ? "\n" : "");
    p.bar(name, step, plan.steps, p.now_s - since_s, postfix);
    if (two_ranks) {  // the other rank is as far, or a step behind
      p.bar(name, step > 0 && step < plan.steps ? step - p.whole(0, 1) : step, plan.steps,
            p.now_s - since_s, postfix);
    }
    p.bytes(way == Way::nested ? "\x1b[A" : "");
  }

  std::string train(std::int64_t number, std::int64_t steps) {
    const double since_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    draw(head(number), 0, since_s, "");
    std::string loss;
    for (std::int64_t step = 1; step <= steps; ++step) {
      p.wait(step_s);
      loss = p.number(0.1, 6, 4);
      draw(head(number), step, since_s, "loss=" + loss);
    }
    p.bytes(way == Way::nested ? "" : "\n");
    return loss;
  }

  void help(const std::string& name, std::int64_t number) {
    const double since_s = p.now_s;
    const double seconds = 0.05 * plan.step_s * static_cast<double>(plan.steps);
    for (std::int64_t step = 0; step <= 2 && pool; ++step) {
      p.bar(name + " | " + of_epoch(number), step * plan.steps / 2, plan.steps, p.now_s - since_s);
      p.wait(step < 2 ? seconds / 2 : 0);
    }
    p.bytes(pool ? "\n" : "");
  }

  double evaluate(TrueEpoch& epoch) {
    const double since_s = p.now_s;
    if (says_only) {
      p.wait(plan.evaluate_s);
      const auto value = p.number(0.1, 1, 4);
      p.line("val accuracy: " + value);
      epoch.metrics.push_back({"val accuracy", std::stod(value)});
      return p.now_s - since_s;
    }
    for (std::int64_t step = 0; step <= tests; ++step) {
      p.wait(step > 0 ? plan.evaluate_s / static_cast<double>(tests) : 0);
      p.bar(test_name, step, tests, p.now_s - since_s);
    }
    p.bytes("\n");
    return p.now_s - since_s;
  }

  void end(std::int64_t number, TrueEpoch& epoch) {
    if (says_val) {
      const auto value = p.number(0.1, 1, 4);
      p.line(
          fmt::format("Epoch {}: val_loss {}", number + (way == Way::epoch_from_0 ? 0 : 1), value));
      epoch.metrics.push_back({"val_loss", std::stod(value)});
    }
    if (way != Way::nested && p.chance(0.1)) {
      p.other_bar();
      p.kind("other bars between");
    }
    if (way == Way::nested) {
      ++done;
      p.bytes("\r" + std::string(80, ' ') + "\x1b[A");
      outer_bar();
    }
  }

  void operator()(std::int64_t number, std::int64_t steps) {
    help("HANDING OUT", number);
    const double since_s = p.now_s;
    const auto loss = train(number, steps);
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - since_s;
    epoch.slack_s = stamped ? 1.1 : 0;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 1;
    epoch.steps = plan.steps;
    epoch.metrics = {{"loss", std::stod(loss)}};
    if (evaluates) {
      epoch.evaluate_s = evaluate(epoch);
      if (!says_only) {
        epoch.stated_evaluate_s = epoch.evaluate_s;
      }
    }
    help("COLLECTING", number);
    end(number, epoch);
  }
};

void write(Program& p) {
  Loop loop(p);
  p.wait(p.real(0.1, 5));
  for (auto others = p.chance(0.3) ? p.whole(1, 3) : 0; others > 0; --others) {
    p.other_bar();
    p.kind("other bars before");
  }
  if (loop.stamped) {
    p.kind("stamped lines between bars");
    p.use_stamps(loop.plan.longest_s());
    p.line("Start training");
    p.text.ambiguous = true;
  }
  if (loop.two_ranks) {
    p.kind("2 ranks");
  }
  loop.begin_s = p.now_s;
  if (loop.way == Way::nested) {
    loop.outer_bar();
  }
  run(p, loop.plan, loop);
  if (loop.way == Way::epoch_of || loop.way == Way::nested) {
    p.text.totals = {loop.plan.total};
  }
}

}  // namespace tqdm_text

TextSpec tqdm() {
  return {tqdm_text::write};
}

}  // namespace epochcast::tests::texts
