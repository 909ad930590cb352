// PyTorch Lightning's bars: tqdm's and rich's.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace lightning_text {
std::string rich_time(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds);
  return fmt::format("{}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60);
}

void rich(Program& p, const Plan& plan) {
  p.kind("rich");
  const auto row = [&](const std::string& name, std::int64_t step, std::int64_t steps,
                       double elapsed_s, const std::string& tail) {
    return fmt::format(
        "{}  \x1b[35m━━━━━━━━━━━━\x1b[0m {}/{} \x1b[2m{} • {}\x1b[0m \x1b[2;4m{:.2f}it/s\x1b[0m {}",
        name, step, steps, rich_time(elapsed_s), step == 0 ? "-:--:--" : rich_time(elapsed_s),
        step == 0 ? 0.0 : static_cast<double>(step) / elapsed_s, tail);
  };
  p.err = p.out = progress::Stream::terminal;
  p.bytes("\x1b[?25l\r\x1b[2K" + row("Sanity Checking", 1, 2, 0.1, "") + "\r\x1b[2K");
  const auto batches = p.whole(2, 5);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const auto name = fmt::format("Epoch {}/{}", number, plan.total - 1);
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    std::string tail = "v_num: 0.000";
    std::string loss;
    for (std::int64_t step = 0; step <= steps; ++step) {
      p.wait(step > 0 ? step_s : 0);
      if (step > 0) {
        loss = p.number(0.1, 6, 3);
        tail = "\x1b[3mv_num: 0.000 train_loss: " + loss + "\x1b[0m";
      }
      p.bytes("\r\x1b[2K" + row(name, step, plan.steps, p.now_s - begin_s, tail));
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 1;
    epoch.steps = plan.steps;
    if (plan.evaluate_s > 0) {
      const double trained_s = p.now_s;
      for (std::int64_t i = 0; i <= batches; ++i) {
        p.wait(i > 0 ? plan.evaluate_s / static_cast<double>(batches) : 0);
        p.bytes("\r\x1b[2K" + row(name, plan.steps, plan.steps, trained_s - begin_s, tail) + "\n" +
                row("Validation", i, batches, p.now_s - trained_s, "") + "\r\x1b[2K\x1b[1A\x1b[2K");
      }
      epoch.evaluate_s = p.now_s - trained_s;
      epoch.slack_s = 0.02;
    }
  });
  p.bytes("\n\x1b[?25h");
  p.text.totals = {plan.total};
}

void tqdm(Program& p, const Plan& plan) {
  p.kind("tqdm");
  for (std::int64_t i = 0; i <= 2; ++i) {
    p.bar("Sanity Checking DataLoader 0", i, 2, 0.1 * static_cast<double>(i));
  }
  p.bytes("\r" + std::string(80, ' ') + "\r");
  p.bytes("\rTraining: |          | 0/? [00:00<?, ?it/s]");
  std::string kept;
  const auto batches = p.whole(2, 5);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const auto head = fmt::format("Epoch {}", number);
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    std::string loss;
    std::string postfix = kept;
    for (std::int64_t step = 0; step <= steps; ++step) {
      p.wait(step > 0 ? step_s : 0);
      if (step > 0) {
        loss = p.number(0.1, 6, 3);
        postfix =
            "v_num=0, train_loss=" + loss + (kept.empty() ? "" : kept.substr(kept.rfind(',')));
      }
      p.bar(head, step, plan.steps, p.now_s - begin_s, postfix);
    }
    if (steps < plan.steps) {
      p.bytes("\n");
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 1;
    epoch.steps = plan.steps;
    epoch.metrics = {{"train_loss", std::stod(loss)}};
    if (plan.evaluate_s > 0) {
      const double trained_s = p.now_s;
      p.bytes("\n\rValidation: |          | 0/? [00:00<?, ?it/s]\x1b[A");
      for (std::int64_t i = 0; i <= batches; ++i) {
        p.wait(i > 0 ? plan.evaluate_s / static_cast<double>(batches) : 0);
        p.bytes("\n");
        p.bar("Validation DataLoader 0", i, batches, p.now_s - trained_s);
        p.bytes("\x1b[A");
      }
      const auto val = p.number(0.1, 6, 3);
      p.bytes("\n\r" + std::string(80, ' ') + "\x1b[A");
      kept = "v_num=0, train_loss=" + loss + ", val_loss=" + val;
      p.bar(head, plan.steps, plan.steps, p.now_s - begin_s, kept);
      epoch.evaluate_s = p.now_s - trained_s;
      epoch.metrics.push_back({"val_loss", std::stod(val)});
    }
  });
  if (!plan.part && plan.end == plan.total) {
    p.plain(fmt::format("`Trainer.fit` stopped: `max_epochs={}` reached.", plan.total));
  }
  p.bytes("\n");
}

void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  p.text.live_resolution_s = 0.12;
  p.wait(p.real(0.1, 10));
  p.plain("GPU available: True (cuda), used: True");
  p.plain("TPU available: False, using: 0 TPU cores");
  if (p.chance(0.3)) {
    p.other_bar();
  }
  p.chance(0.3) ? rich(p, plan) : tqdm(p, plan);
}

}  // namespace lightning_text

TextSpec lightning() {
  return {lightning_text::write};
}

}  // namespace epochcast::tests::texts
