// ESPnet2's trainer and reporter.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace espnet_text {
std::string span(double seconds) {
  const auto s = std::round(seconds * 100) / 100;
  const auto hours = static_cast<std::int64_t>(s) / 3600;
  const auto minutes = static_cast<std::int64_t>(s) / 60 % 60;
  const double rest = s - static_cast<double>(hours * 3600 + minutes * 60);
  std::string text;
  const auto add = [&](const std::string& part, bool last) {
    text += (text.empty() ? "" : last ? " and " : ", ") + part;
  };
  if (hours > 0) {
    add(fmt::format("{} hour{}", hours, hours > 1 ? "s" : ""), false);
  }
  if (minutes > 0) {
    add(fmt::format("{} minute{}", minutes, minutes > 1 ? "s" : ""), rest < 0.005);
  }
  if (rest >= 0.005 || text.empty()) {
    add(fmt::format("{:.4g} seconds", rest), true);
  }
  return text;
}

void write(Program& p) {
  Plan plan(p);
  const double evaluate_s = std::max(plan.evaluate_s, 0.5);
  p.use_stamp_style(30);
  p.wait(p.real(0.5, 10));
  p.line("Namespace(config='conf/train.yaml', max_epoch=7341)");
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    p.line(fmt::format("{}/{}epoch started{}", number + 1, plan.total,
                       number > plan.first
                           ? ". Estimated time to finish: 7 hours, 34 minutes and 1.25 seconds"
                           : ""));
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0) {
        p.line(
            fmt::format("{}epoch:train:{}-{}batch: iter_time=1.2e-04, forward_time=0.1, "
                        "loss_att=29.9, acc=0.4, loss={}, backward_time=0.073, "
                        "optim_step_time=0.006, optim0_lr0=2.0e-04, train_time={:.3f}",
                        number + 1, i - plan.every + 1, i, p.number(1, 90, 3), step_s));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.evaluate_s = evaluate_s;
    p.wait(evaluate_s);
    const auto loss = p.number(1, 90, 3);
    const auto val = p.number(1, 90, 3);
    p.line(
        fmt::format("{}epoch results: [train] iter_time=1.2e-04, forward_time=0.1, loss={}, "
                    "acc=0.4, train_time={:.3f}, time={}, total_count={}, "
                    "gpu_max_cached_mem_GB=8.123, [valid] loss={}, acc=0.5, time={}, "
                    "total_count=40, gpu_max_cached_mem_GB=8.123",
                    number + 1, loss, step_s, span(epoch.wall_s), (number + 1) * plan.steps, val,
                    span(evaluate_s)));
    epoch.slack_s = 0.05;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_evaluate_s = evaluate_s;
    epoch.stated_slack_s = 0.02;
    epoch.metrics = {{"", std::stod(loss)}, {"", std::stod(val)}};
    if (p.chance(0.5)) {
      p.line("The best model has been updated: valid.acc");
    }
    p.wait(0.01);
  });
  p.text.totals = {plan.total};
  if (!plan.part && plan.end == plan.total) {
    p.line(fmt::format("The training was finished at {} epochs ", plan.total));
  }
}

}  // namespace espnet_text

TextSpec espnet() {
  return {espnet_text::write};
}

}  // namespace epochcast::tests::texts
