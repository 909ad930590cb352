// YOLOv5, YOLOv8 and ultralytics' newer bar.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace yolo_text {
std::string own_time(double s) {
  return s < 60     ? fmt::format("{:.1f}s", s)
         : s < 3600 ? fmt::format("{}:{:02d}", static_cast<std::int64_t>(s) / 60,
                                  static_cast<std::int64_t>(s) % 60)
                    : fmt::format("{}:{:02d}:{:02d}", static_cast<std::int64_t>(s) / 3600,
                                  static_cast<std::int64_t>(s) / 60 % 60,
                                  static_cast<std::int64_t>(s) % 60);
}

enum class Kind { v5, v8, own };

constexpr auto* validation =
    "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95)";

void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  p.text.live_resolution_s = 0.12;
  const auto kind = p.pick({Kind::v5, Kind::v8, Kind::own});
  const double evaluate_s = std::max(plan.evaluate_s, 0.5);
  const auto draw = [&](const std::string& head, std::int64_t step, std::int64_t steps,
                        double elapsed_s) {
    if (kind != Kind::own) {
      p.bar(head, step, steps, elapsed_s);
      return;
    }
    std::string blocks;
    for (std::int64_t i = 0; i < 12; ++i) {
      blocks += i < 12 * step / steps ? "━" : "─";
    }
    const double rate = step > 0 ? static_cast<double>(step) / elapsed_s : 0;
    const auto rate_text = rate >= 1  ? fmt::format("{:.1f}it/s", rate)
                           : rate > 0 ? fmt::format("{:.1f}s/it", 1 / rate)
                                      : std::string();
    const auto left = step > 0 && step < steps
                          ? "<" + own_time(static_cast<double>(steps - step) / rate)
                          : std::string();
    p.bytes(fmt::format("\r\x1b[K{}: {}% {} {}/{} {} {}{}", head, 100 * step / steps, blocks, step,
                        steps, rate_text, own_time(elapsed_s), left));
  };
  p.wait(p.real(0.5, 10));
  p.plain("Ultralytics 8.3.7341 Python-3.11.9 torch-2.4.1+cu121 CUDA:0");
  for (const auto* name :
       {"train: Scanning /data/labels/train.cache... 128 images, 2 backgrounds, 0 corrupt",
        "val: Scanning /data/labels/val.cache... 128 images, 2 backgrounds, 0 corrupt"}) {
    for (std::int64_t i = 0; i <= 2; ++i) {
      draw(name, 64 * i, 128, 0.3 * static_cast<double>(i) + 0.01);
      p.wait(0.3);
    }
    p.bytes("\n");
  }
  p.plain(fmt::format("Starting training for {} epochs...", plan.total));
  const auto batches = p.whole(1, 6);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    p.plain("");
    p.plain(kind == Kind::v5
                ? "      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size"
                : "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size");
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    const auto epoch_text = kind == Kind::v5 ? fmt::format("{}/{}", number, plan.total - 1)
                                             : fmt::format("{}/{}", number + 1, plan.total);
    std::string box = p.number(0.1, 3, 4);
    const std::int64_t late = kind == Kind::own ? 1 : 0;  // it draws before it counts the batch
    for (std::int64_t step = 0; step <= steps; ++step) {
      p.wait(step + late > 0 && step + late <= steps ? step_s : 0);
      box = step > 0 ? p.number(0.1, 3, 4) : box;
      draw(step == 0 && kind != Kind::own
               ? std::string()
               : fmt::format("{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}", epoch_text, "2.1G", box,
                             p.number(0.1, 3, 4), p.number(0.1, 3, 4), 12, 640),
           step, plan.steps, p.now_s - begin_s);
    }
    p.bytes("\n");
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    // What shows where the first epoch began is its bar, drawn first when a batch was done: it
    // states more than a minute in whole seconds.
    epoch.slack_s = kind == Kind::own && number == plan.first && step_s >= 60 ? 1 : 0;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 1;
    epoch.steps = plan.steps;
    const double trained_s = p.now_s;
    for (std::int64_t i = 0; i <= batches; ++i) {
      p.wait(i > 0 ? evaluate_s / static_cast<double>(batches) : 0);
      draw(validation, i, batches, p.now_s - trained_s + 1e-3);
    }
    p.bytes("\n");
    p.plain(
        "                   all        128        929      0.641      0.537      0.605      0.446");
    epoch.evaluate_s = p.now_s - trained_s;
    epoch.stated_evaluate_s = epoch.evaluate_s;
  });
  p.text.totals = {plan.total};
  if (!plan.part && plan.end == plan.total) {
    p.plain("");
    p.plain(fmt::format("{} epochs completed in 0.123 hours.", plan.total));
    p.plain("Optimizer stripped from runs/detect/train/weights/last.pt, 6.2MB");
    p.plain("Validating runs/detect/train/weights/best.pt...");
    const double trained_s = p.now_s;
    for (std::int64_t i = 0; i <= batches; ++i) {
      p.wait(i > 0 ? evaluate_s / static_cast<double>(batches) : 0);
      draw(validation, i, batches, p.now_s - trained_s + 1e-3);
    }
  }
}

}  // namespace yolo_text

TextSpec yolo() {
  return {yolo_text::write};
}

}  // namespace epochcast::tests::texts
