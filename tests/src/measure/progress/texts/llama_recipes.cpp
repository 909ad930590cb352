// meta-llama/llama-recipes, src/llama_recipes/utils/train_utils.py: train() and evaluation().
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace llama_recipes_text {
void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  plan.first = 0;
  p.text.numbers_open = false;
  p.text.totals = {plan.total};
  const auto accumulated = p.pick<std::int64_t>({1, 4});
  const auto batches = plan.steps * accumulated;
  p.plain("--> Training Set Length = 14732");
  p.wait(p.real(0.5, 20));
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    p.bar(fmt::format("Training Epoch: {}", number + 1), 0, plan.steps, 0);
    std::string loss;
    for (std::int64_t i = 0; i < steps * accumulated; ++i) {
      p.wait(step_s / static_cast<double>(accumulated));
      loss = p.number(0.1, 6, 6);
      p.bar(fmt::format("Training Epoch: {}/{}, step {}/{} completed (loss: {})", number + 1,
                        plan.total, i, batches, loss),
            (i + 1) / accumulated, plan.steps, p.now_s - begin_s);
    }
    p.bytes("\n");
    if (steps < plan.steps) {
      return;
    }
    const double trained_s = p.now_s - begin_s;
    auto& epoch = p.epoch(number);
    epoch.wall_s = epoch.stated_s.emplace(trained_s);
    epoch.stated_slack_s = 1.1;
    epoch.slack_s = 0.1 * step_s;
    epoch.steps = plan.steps;
    epoch.metrics = {{"loss", std::stod(loss)}};
    p.plain("Max CUDA memory allocated was 14 GB");
    if (plan.evaluate_s > 0) {
      for (std::int64_t i = 0; i <= 4; ++i) {
        p.bar("evaluating Epoch", i, 4, plan.evaluate_s * static_cast<double>(i) / 4);
        p.wait(i < 4 ? plan.evaluate_s / 4 : 0);
      }
      p.bytes("\n");
      const auto found = p.number(1, 9, 4);
      p.plain(
          fmt::format(" eval_ppl=tensor({0}, device='cuda:0') eval_epoch_loss=tensor({0}, "
                      "device='cuda:0')",
                      found));
      epoch.evaluate_s = plan.evaluate_s;
      epoch.metrics.push_back({"eval_epoch_loss", std::stod(found)});
    }
    p.plain(
        fmt::format("Epoch {}: train_perplexity=3.1200, train_epoch_loss=1.1378, epoch time {}s",
                    number + 1, trained_s));
  });
}

}  // namespace llama_recipes_text

TextSpec llama_recipes() {
  return {llama_recipes_text::write};
}

}  // namespace epochcast::tests::texts
