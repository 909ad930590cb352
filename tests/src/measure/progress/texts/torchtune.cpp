// torchtune's recipes: pytorch/torchtune, recipes/full_finetune_single_device.py (pbar =
// tqdm(total=self._steps_per_epoch), set_description(f"{curr_epoch + 1}|{self.global_step}|Loss:
// ")).
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace torchtune_text {
void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  plan.first = 0;
  plan.every = 1;
  p.text.numbers_open = false;
  p.plain(
      "INFO:torchtune.utils._logging:Running LoraFinetuneRecipeSingleDevice with resolved config:");
  p.wait(p.real(0.5, 20));
  std::int64_t global = 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    p.bar("", 0, plan.steps, 0);
    std::string loss;
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      loss = p.number(0.1, 6, 6);
      p.bar(fmt::format("{}|{}|Loss: {}", number + 1, ++global, loss), i, plan.steps,
            p.now_s - begin_s);
    }
    p.bytes("\n");
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = epoch.stated_s.emplace(p.now_s - begin_s);
    epoch.stated_slack_s = 1.1;
    epoch.slack_s = 0.1 * step_s;
    epoch.steps = plan.steps;
    epoch.metrics = {{"loss", std::stod(loss)}};
    p.plain("INFO:torchtune.utils._logging:Model checkpoint of size 16.06 GB saved to /tmp/0.pt");
  });
}

}  // namespace torchtune_text

TextSpec torchtune() {
  return {torchtune_text::write};
}

}  // namespace epochcast::tests::texts
