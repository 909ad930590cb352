// mmengine's and mmcv's LoggerHook, by epoch and by iteration.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace mmengine_text {
std::string eta(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds);
  return fmt::format(
      "{}{}:{:02d}:{:02d}",
      s >= 86400 ? fmt::format("{} day{}, ", s / 86400, s / 86400 > 1 ? "s" : "") : "",
      s % 86400 / 3600, s / 60 % 60, s % 60);
}

void by_iteration(Program& p) {
  p.kind("by iteration");
  const auto every = p.pick<std::int64_t>({10, 50});
  const auto total = p.whole(6, 40) * every;
  const auto end = p.chance(0.4) ? p.whole(4, total / every) * every : total;
  const double step_s = p.spread(0.05, 5);
  for (std::int64_t step = every; step <= end; step += every) {
    p.wait(step_s * static_cast<double>(every));
    p.line(
        fmt::format("Iter(train) [{:>{}}/{}]  lr: 1.0000e-02  eta: {}  time: {:.4f}  data_time: "
                    "0.0100  memory: 1024  loss: {}  decode.loss_ce: 0.2000",
                    step, std::to_string(total).size(), total,
                    eta(step_s * static_cast<double>(total - step)), step_s, p.number(0.1, 3, 4)));
    p.noise(0.05);
  }
  p.text.run_steps =
      TrueSteps{.last = end,
                .total = total,
                .step_s = step_s,
                .slack_s = 1.1 * p.text.stamp_resolution_s / static_cast<double>(every),
                .stated_s = step_s,
                .stated_slack_s = 1e-3};
}

void by_epoch(Program& p, bool old) {
  Plan plan(p);
  const auto tests = p.whole(2, 30);
  const auto digits = std::to_string(plan.steps).size();
  const bool seen_end = plan.steps % plan.every == 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    std::string loss;
    for (std::int64_t step = 1; step <= steps; ++step) {
      p.wait(step_s);
      if (step % plan.every == 0) {
        loss = p.number(0.1, 3, 4);
        const double left_s =
            step_s * static_cast<double>((plan.total - number) * plan.steps - step);
        p.line(
            old ? fmt::format("Epoch [{}][{}/{}]\tlr: 1.000e-02, eta: {}, time: {:.3f}, data_time: "
                              "0.010, memory: 1024, loss_cls: 0.2000, loss: {}",
                              number + 1, step, plan.steps, eta(left_s), step_s, loss)
                : fmt::format("Epoch(train)  [{}][{:>{}}/{}]  lr: 1.0000e-02  eta: {}  time: "
                              "{:.4f}  data_time: 0.0100  memory: 1024  loss: {}  loss_cls: 0.2000",
                              number + 1, step, digits, plan.steps, eta(left_s), step_s, loss));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    const double interval_s = step_s * static_cast<double>(plan.every);
    epoch.slack_s =
        0.06 * interval_s + (seen_end ? 0 : 0.2 * interval_s) + 0.5 * p.text.stamp_resolution_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 0.002 * static_cast<double>(plan.steps) + 0.02 * epoch.wall_s;
    epoch.steps = plan.steps;
    epoch.metrics = {{"loss", std::stod(loss)}};
    epoch.maybe = number + 1 == plan.end && !plan.part && !seen_end && !(plan.evaluate_s > 0);
    if (p.chance(0.5)) {
      p.line(fmt::format("Saving checkpoint at {} epochs", number + 1));
    }
    if (plan.evaluate_s > 0) {
      const double trained_s = p.now_s;
      p.wait(plan.evaluate_s);
      const auto score = p.number(0.1, 0.7, 4);
      p.line(
          old ? fmt::format("Epoch(val) [{}][{}]\tbbox_mAP: {}, bbox_mAP_50: 0.5000", number + 1,
                            tests, score)
              : fmt::format(
                    "Epoch(val) [{}][{}/{}]    coco/bbox_mAP: {}  data_time: 0.0100  time: 0.0200",
                    number + 1, tests, tests, score));
      epoch.evaluate_s = p.now_s - trained_s;
      epoch.split_known = seen_end;
      epoch.metrics.push_back({"", std::stod(score)});
    }
    p.noise(0.05);
  });
  if (plan.pause_s > 0 && !plan.repeats) {
    p.text.ambiguous = true;
  }
}

void write(Program& p) {
  const bool old = p.chance(0.4);
  const auto way = p.real(0, 1);
  if (way < 0.85) {
    p.use_stamp_style(old ? 26 : 27);
  }
  p.wait(p.real(0.5, 10));
  p.line("Distributed training: False");
  p.wait(p.real(0.5, 10));
  p.line("Checkpoints will be saved to /work/dirs/7341.");
  !old&& p.chance(0.3) ? by_iteration(p) : by_epoch(p, old);
}

}  // namespace mmengine_text

TextSpec mmengine() {
  return {mmengine_text::write};
}

}  // namespace epochcast::tests::texts
