// nnU-Net v2's trainer.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace nnunet_text {
void write(Program& p) {
  Plan plan(p);
  const double evaluate_s = std::max(plan.evaluate_s, 0.5);
  const double epoch_s = plan.step_s * static_cast<double>(plan.steps);
  if (p.chance(0.8)) {
    p.use_stamp_style(32);
  }
  p.text.numbers_open = plan.first > 0;
  p.wait(p.real(0.5, 10));
  p.line("do_dummy_2d_data_aug: False");
  p.line("Using splits from existing split file: data/splits_final.json");
  p.line("Desired fold for training: 0");
  p.line("This split has 73 training and 41 validation cases.");
  p.wait(p.real(0.5, 10));
  p.line("Unable to plot network architecture: nnUNet_compile is enabled!");
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    p.line("");
    const double begin_s = p.now_s;
    p.line(fmt::format("Epoch {} ", number));
    p.line("Current learning rate: 0.00991");
    p.wait(epoch_s * p.real(0.97, 1.03));
    if (steps < plan.steps) {
      return;
    }
    p.wait(evaluate_s);
    const auto a = p.number(-0.9, 1, 4);
    const auto b = p.number(-0.9, 1, 4);
    p.line(fmt::format("train_loss {} ", a));
    p.line(fmt::format("val_loss {} ", b));
    p.line(fmt::format("Pseudo dice [{}, {}] ", p.number(0.1, 0.9, 4), p.number(0.1, 0.9, 4)));
    p.line(fmt::format("Epoch time: {:.2f} s ", p.now_s - begin_s));
    if (p.chance(0.4)) {
      p.line("Yayy! New best EMA pseudo Dice: 0.7341 ");
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.slack_s = 0.01;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 0.01;
    epoch.metrics = {{"train_loss", std::stod(a)}, {"val_loss", std::stod(b)}};
  });
}

}  // namespace nnunet_text

TextSpec nnunet() {
  return {nnunet_text::write};
}

}  // namespace epochcast::tests::texts
