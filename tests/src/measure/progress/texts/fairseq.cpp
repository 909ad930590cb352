// fairseq's simple progress bar, old ('| epoch 001 |') and new ('train_inner').
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace fairseq_text {
void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  const bool old = p.chance(0.5);
  const double evaluate_s = std::max(plan.evaluate_s, 0.5);
  if (!old) {
    p.use_stamp_style(29);
  } else if (p.chance(0.3)) {
    p.use_stamps(plan.longest_s());
  }
  const auto say = [&](const char* tag, const std::string& words) {
    p.line(old ? "| " + words : fmt::format("{} | {}", tag, words));
  };
  p.wait(p.real(0.5, 10));
  say("fairseq_cli.train", "num. model params: 7341 (num. trained: 7341)");
  p.wait(p.real(0.5, 10));
  say("fairseq_cli.train", "training on 1 devices (GPUs/TPUs)");
  const double start_s = p.now_s;
  double before_s = start_s;
  double wall_before = 0;
  const auto wall = [&] { return static_cast<std::int64_t>(p.now_s - start_s + 0.5); };
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    if (!old) {
      say("fairseq.trainer", fmt::format("begin training epoch {}", number + 1));
    }
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    const auto updates = number * plan.steps;
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0 && i < plan.steps) {
        say("train_inner",
            fmt::format("epoch {:03d}: {:6d} / {} loss={}, nll_loss=5.1, ppl=34.3, wps=7341.1, "
                        "ups=1.2, wpb=3000.1, bsz=64, num_updates={}, "
                        "lr=0.0005, gnorm=1.2, clip=0, train_wall=1, wall={}",
                        number + 1, i, plan.steps, p.number(1, 9, 3), updates + i, wall()));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.steps = plan.steps;
    epoch.split_known = old;
    epoch.slack_s =
        0.06 * step_s * static_cast<double>(plan.every) + p.text.stamp_resolution_s * 0.5;
    const auto loss = p.number(1, 9, 3);
    const auto val = p.number(1, 9, 3);
    const double trained_s = p.now_s;
    const auto train_line = [&] {
      say("train", fmt::format("epoch {:03d} | loss {} | nll_loss 5.1 | ppl 34.3 | wps 7341.1 | "
                               "ups 1.2 | wpb 3000.1 | bsz 64 | num_updates {} | lr 0.0005 | "
                               "gnorm 1.2 | clip 0 | train_wall 1 | wall {}",
                               number + 1, loss, updates + plan.steps, wall()));
    };
    const auto valid_line = [&] {
      p.wait(evaluate_s);
      say("valid",
          fmt::format(
              "epoch {:03d} | valid on 'valid' subset | {} {} | ppl 30.1 | num_updates {}{}",
              number + 1, old ? "valid_loss" : "loss", val, updates + plan.steps,
              number > plan.first ? " | best_loss 1.234" : ""));
      epoch.evaluate_s = p.now_s - trained_s;
    };
    old ? train_line() : valid_line();
    // Differences of `wall`: with the evaluation before (old) or in it (new), unseen by themselves.
    epoch.stated_s = old ? p.now_s - std::max(before_s, start_s) : p.now_s - before_s;
    epoch.stated_sum = !old;
    epoch.stated_slack_s = 1.1 + (old ? 1.05 : 1.0) * evaluate_s;
    before_s = p.now_s;
    old ? valid_line() : train_line();
    epoch.metrics = {{"", std::stod(loss)}, {"", std::stod(val)}};
    if (p.chance(0.3)) {
      say("fairseq.checkpoint_utils",
          fmt::format("Saved checkpoint checkpoints/checkpoint{}.pt (epoch {} @ {} updates, score "
                      "0.7341) (writing took 0.7341 seconds)",
                      number + 1, number + 1, updates + plan.steps));
    }
  });
  (void)wall_before;
  if (!plan.part && plan.end == plan.total) {
    say("fairseq_cli.train", "done training in 734.1 seconds");
  }
}

}  // namespace fairseq_text

TextSpec fairseq() {
  return {fairseq_text::write};
}

}  // namespace epochcast::tests::texts
