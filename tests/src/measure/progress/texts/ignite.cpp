// Ignite's Engine (its own log) with lines of the user's.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace ignite_text {
std::string time(double seconds) {
  const auto ms = static_cast<std::int64_t>(seconds * 1000 + 0.5);
  return fmt::format("{:02d}:{:02d}:{:02d}.{:03d}", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60,
                     ms % 1000);
}

/// Without the engine's log: the user's lines only, as the MNIST example prints them. Iterations
/// are counted by the epoch or by the run; an evaluation's results are printed after it.
void examples(Program& p) {
  Plan plan(p);
  plan.from_the_start();
  plan.every = std::min(plan.every, plan.steps / 3);
  const bool of_run = p.chance(0.6);
  const bool run_total = of_run && p.chance(0.6);
  const bool evaluates = plan.evaluate_s > 0;
  p.kind(of_run ? "iterations of the run" : "iterations of the epoch");
  if (p.chance(0.5)) {
    p.use_stamps(plan.longest_s());
  }
  p.wait(p.real(0.5, 10));
  p.line("Loading data ...");
  p.wait(p.real(0.5, 10));
  double step_s = 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    step_s = plan.step_s * p.real(0.99, 1.01);
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      const auto shown = of_run ? number * plan.steps + i : i;
      if (shown % plan.every == 0) {
        p.line(fmt::format("Epoch[{}] Iteration[{}/{}] Loss: {}", number + 1, shown,
                           run_total ? plan.steps * plan.total : plan.steps, p.number(0.1, 3, 2)));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.evaluate_s = plan.evaluate_s;
    p.wait(plan.evaluate_s);
    epoch.steps = plan.steps;
    epoch.split_known = false;
    epoch.slack_s =
        0.1 * step_s * static_cast<double>(plan.every) + 1.5 * p.text.stamp_resolution_s;
    epoch.maybe = number + 1 == plan.end && !evaluates;
    if (evaluates) {
      const auto loss = p.number(0.1, 3, 2);
      p.line(fmt::format("Validation Results - Epoch: {}  Avg accuracy: 0.81 Avg loss: {}",
                         number + 1, loss));
      epoch.metrics = {{"Validation Avg loss", std::stod(loss)}};
    }
  });
  p.text.ambiguous = of_run && plan.end < 4 * plan.every;
}

void write(Program& p) {
  if (p.chance(0.4)) {
    examples(p);
    return;
  }
  Plan plan(p);
  plan.interrupted = -1;
  if (p.chance(0.8)) {
    p.use_stamp_style(33);
  }
  const bool user_lines = p.chance(0.5);
  const auto over = p.pick({"complete", "finished"});
  const bool evaluator = plan.evaluate_s > 0 && p.chance(0.6);
  p.wait(p.real(0.5, 10));
  p.line("Loading data ...");
  p.wait(p.real(0.5, 10));
  p.line(plan.first > 0
             ? fmt::format("Engine run resuming from iteration {}, epoch {} until {} epochs",
                           plan.first * plan.steps, plan.first, plan.total)
             : fmt::format("Engine run starting with max_epochs={}.", plan.total));
  const double start_s = p.now_s;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      if (user_lines && i % plan.every == 0) {
        p.plain(fmt::format("Epoch[{}] Iteration[{}/{}] Loss: {}", number + 1, i, plan.steps,
                            p.number(0.1, 3, 2)));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    if (evaluator) {
      p.line("Engine run starting with max_epochs=1.");
      p.wait(plan.evaluate_s);
      p.line(fmt::format("Epoch[1] Complete. Time taken: {}", time(plan.evaluate_s)));
      p.line(fmt::format("Engine run {}. Time taken: {}", over, time(plan.evaluate_s)));
      epoch.evaluate_s = plan.evaluate_s;
    }
    p.line(fmt::format("Epoch[{}] Complete. Time taken: {}", number + 1, time(p.now_s - begin_s)));
    epoch.split_known = evaluator;
    epoch.slack_s = 0.01;
    epoch.stated_s = epoch.wall_s + epoch.evaluate_s;
    epoch.stated_sum = true;
    epoch.stated_slack_s = 0.01;
    if (user_lines) {
      epoch.steps = plan.steps;
    }
  });
  if (!plan.part && plan.end == plan.total) {
    p.line(fmt::format("Engine run {}. Time taken: {}", over, time(p.now_s - start_s)));
  }
  p.text.totals = {plan.total};
}

}  // namespace ignite_text

TextSpec ignite() {
  return {ignite_text::write};
}

}  // namespace epochcast::tests::texts
