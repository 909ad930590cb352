// progress_bar of pytorch-cifar's utils.py, and the bars of pytorch-classification.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace cifar_bars_text {

/// As pytorch-cifar's format_time: two parts at most, of h, m, s and ms.
std::string format_time(double time_s) {
  const auto ms = static_cast<std::int64_t>(time_s * 1000);
  const auto s = ms / 1000, m = s / 60, h = m / 60;
  if (h > 0) {
    return fmt::format("{}h{}m", h, m % 60);
  }
  if (m > 0) {
    return fmt::format("{}m{}s", m, s % 60);
  }
  return s > 0 ? fmt::format("{}s{}ms", s, ms % 1000) : fmt::format("{}ms", ms);
}

void write(Program& p) {
  Plan plan(p);
  const bool bearpaw = p.chance(0.5);
  p.text.numbers_open = !bearpaw && plan.first > 0;
  if (p.chance(0.3)) {
    p.use_stamps(plan.longest_s());
  }
  p.wait(p.real(0.1, 10));
  p.line("==> Building model..");
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    p.line(bearpaw ? fmt::format("Epoch: [{} | {}] LR: 0.100000", number + 1, plan.total)
                   : fmt::format("Epoch: {}", number));
    const double begin_s = p.now_s;
    const auto bar = [&](bool trains, std::int64_t done, std::int64_t of, double since_s) {
      const auto total_s = p.now_s - since_s;
      const auto s = static_cast<std::int64_t>(total_s);
      const auto loss = p.number(0.1, 6, 3);
      p.line(bearpaw ? fmt::format("{} |{:32}| ({}/{}) Data: 0.002s | Batch: {:.3f}s | Total: "
                                   "{}:{:02d}:{:02d} | ETA: 0:00:01 | Loss: {} | top1:  35.2173",
                                   trains ? "Processing" : "Testing   ", "####", done, of, step_s,
                                   s / 3600, s / 60 % 60, s % 60, loss)
                     : fmt::format(" [================>...]  Step: {}ms | Tot: {} | Loss: {} | "
                                   "Acc: 37.470% (18735/50000) {}/{} ",
                                   int(step_s * 1000), format_time(total_s), loss, done, of));
    };
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0 || i == steps) {
        bar(true, i, plan.steps, begin_s);
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.steps = plan.steps;
    const double trained_s = p.now_s;
    p.wait(std::max(plan.evaluate_s, 1.0));
    bar(false, 10, 10, trained_s);
    epoch.evaluate_s = p.now_s - trained_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_evaluate_s = epoch.evaluate_s;
    const double longest_s = std::max(epoch.wall_s, epoch.evaluate_s);
    epoch.stated_slack_s = bearpaw || longest_s > 60 ? (longest_s > 3600 ? 60 : 1) : 0.001;
  });
}

}  // namespace cifar_bars_text

TextSpec cifar_bars() {
  return {cifar_bars_text::write};
}

}  // namespace epochcast::tests::texts
