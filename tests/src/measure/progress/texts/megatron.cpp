// Megatron-LM's training_log(), and NeMo's ProgressPrinter.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace megatron_text {
/// No epochs: the run counts as one.
void lm(Program& p) {
  p.kind("Megatron-LM");
  const auto steps = p.whole(4, 30) * 10;
  const auto every = p.pick<std::int64_t>({5, 10});
  const auto end = p.chance(0.25) ? p.whole(2, steps / every - 1) * every : steps / every * every;
  const double step_s = p.spread(0.05, 20);
  const auto evaluate_every = p.chance(0.5) ? every * p.whole(2, 4) : 0;
  const double evaluate_s = evaluate_every > 0 ? step_s * p.real(1, 20) : 0;
  p.wait(p.real(0.5, 20));
  const auto stamp = [&] { return p.stamped() ? std::string() : std::string(" "); };
  if (p.chance(0.6)) {
    p.use_stamp_style(25);
  }
  p.line("> finished creating GPT datasets ...");
  p.wait(p.real(0.5, 20));
  p.line("training ...");
  double trained_s = 0;
  double evaluated_s = 0;
  const double begin_s = p.now_s;
  for (std::int64_t step = every; step <= end; step += every) {
    p.wait(step_s * static_cast<double>(every));
    trained_s += step_s * static_cast<double>(every);
    p.line(fmt::format(
        "{}iteration {:8d}/{:8d} | consumed samples: {:12d} | elapsed time per iteration (ms): "
        "{:.1f} | "
        "learning rate: 1.500000E-04 | global batch size:     8 | lm loss: {}E+00 | loss scale: "
        "1.0 | grad "
        "norm: 1.234 | number of skipped iterations:   0 | number of nan iterations:   0 |",
        stamp(), step, steps, step * 8, step_s * 1000, p.number(1, 9, 6)));
    if (evaluate_every > 0 && step % evaluate_every == 0) {
      p.wait(evaluate_s);
      evaluated_s += evaluate_s;
      p.plain("------------------------------------------------------------");
      p.plain(fmt::format(
          " validation loss at iteration {} | lm loss value: {}E+00 | lm loss PPL: 1.000000E+00 | ",
          step, p.number(1, 9, 6)));
      p.plain("------------------------------------------------------------");
    }
  }
  const bool whole = end == steps;
  if (whole) {
    auto& epoch = p.epoch(0);
    epoch.wall_s = trained_s;
    epoch.evaluate_s = evaluated_s;
    epoch.split_known = false;
    epoch.slack_s = 0.1 * step_s * static_cast<double>(every) + p.now_s - begin_s - trained_s -
                    evaluated_s + evaluate_s + 0.5 * p.text.stamp_resolution_s;
    epoch.steps = steps;
  } else {
    p.text.run_steps = TrueSteps{
        .last = end,
        .total = steps,
        .step_s = step_s,
        .slack_s = 0.02 * step_s + 2 * p.text.stamp_resolution_s / static_cast<double>(every),
        .stated_s = step_s,
        .stated_slack_s = 0.001};
  }
}

void nemo(Program& p) {
  p.kind("NeMo");
  Plan plan(p);
  plan.interrupted = -1;
  p.text.numbers_open = false;
  p.wait(p.real(0.5, 20));
  p.plain("> finished creating GPT datasets ...");
  p.wait(p.real(0.5, 20));
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      p.plain(fmt::format(
          "Training epoch {}, iteration {}/{} | lr: 1.2e-06 | global_batch_size: 8 | global_step: "
          "{} | "
          "reduced_train_loss: {} | train_step_timing in s: {:.4f} | consumed_samples: {}",
          number, i, plan.steps - 1, number * plan.steps + i, p.number(0.1, 9, 4), step_s,
          (number * plan.steps + i + 1) * 8));
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.slack_s = 0.06 * step_s;
    epoch.steps = plan.steps;
  });
}

void write(Program& p) {
  p.chance(0.6) ? lm(p) : nemo(p);
}

}  // namespace megatron_text

TextSpec megatron() {
  return {megatron_text::write};
}

}  // namespace epochcast::tests::texts
