// detectron2's CommonMetricPrinter: iterations of the run, from 0.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace detectron2_text {
void write(Program& p) {
  const auto every = 20;
  const auto total = p.whole(5, 60) * every;
  const auto end = p.chance(0.6) ? p.whole(5, total / every) * every : total;
  const double step_s = p.spread(0.05, 3);
  if (p.chance(0.85)) {
    p.use_stamp_style(28);
  }
  p.wait(p.real(0.5, 10));
  p.line("Starting training from iteration 0");
  for (std::int64_t step = every; step <= end; step += every) {
    p.wait(step_s * every);
    const auto left = static_cast<std::int64_t>(step_s * static_cast<double>(total - step));
    p.line(fmt::format(
        " eta: {}:{:02d}:{:02d}  iter: {}  total_loss: {}  loss_cls: 0.42  loss_box_reg: 0.31    "
        "time: {:.4f}  last_time: {:.4f}  "
        "data_time: 0.0123  last_data_time: 0.0034   lr: 0.00025  max_mem: 2048M",
        left / 3600, left / 60 % 60, left % 60, step - 1, p.number(0.1, 3, 3), step_s, step_s));
    if (p.chance(0.05)) {
      p.line("Saving checkpoint to ./output/model_0007341.pth");
    }
  }
  p.text.run_steps = TrueSteps{.last = end,
                               .total = {},
                               .step_s = step_s,
                               .slack_s = 1.1 * p.text.stamp_resolution_s / every,
                               .stated_s = step_s,
                               .stated_slack_s = 1e-3};
}

}  // namespace detectron2_text

TextSpec detectron2() {
  return {detectron2_text::write};
}

}  // namespace epochcast::tests::texts
