// DETR's log.txt: a line of JSON after each epoch, without times.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace detr_text {
void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  const double epoch_s = plan.step_s * static_cast<double>(plan.steps);
  if (p.chance(0.4)) {
    p.use_stamp_style(4);
  }
  p.text.numbers_open = false;
  p.wait(p.real(0.5, 3));
  const bool starts = p.chance(0.7);
  if (starts) {
    p.line("Start training");
  }
  double begin_s = starts ? p.now_s : 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    p.wait(epoch_s * p.real(0.97, 1.03));
    if (steps < plan.steps) {
      return;
    }
    const auto a = p.number(1, 20, 4);
    const auto b = p.number(1, 20, 4);
    p.line(fmt::format(
        R"({{"train_lr": 0.0001, "train_class_error": 45.2, "train_loss": {}, "test_class_error": 40.1, "test_loss": {}, "test_coco_eval_bbox": [0.1, 0.2], "epoch": {}, "n_parameters": 41302368}})",
        a, b, number));
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.from_start = epoch.starts_unseen = number == plan.first && !starts;
    epoch.metrics = {{"train_loss", std::stod(a)}, {"test_loss", std::stod(b)}};
    begin_s = p.now_s;
  });
}

}  // namespace detr_text

TextSpec detr() {
  return {detr_text::write};
}

}  // namespace epochcast::tests::texts
