// Hugging Face's Trainer: lines of a dict, a bar over all steps, bars and a dict of evaluations.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace huggingface_text {
/// As Python prints round(epoch, 2).
std::string rounded(double epoch) {
  auto text = fmt::format("{:.2f}", epoch);
  return text.ends_with('0') ? text.substr(0, text.size() - 1) : text;
}

struct Trainer {
  Program& p;
  Plan plan;
  bool bars;
  std::int64_t batches;
  double begin_s = 0;
  bool as_texts;            ///< The numbers, since Transformers 5.
  bool silent;              ///< Lines of the loss come never: logging_steps=500.
  bool rare;                ///< Of the bar, its states at the ends of epochs are kept.
  std::int64_t rest_share;  ///< > 0: a step has so many batches, the last of an epoch has one.

  explicit Trainer(Program& program)
      : p(program),
        plan(program),
        bars(p.chance(0.75)),
        batches(p.whole(2, 6)),
        as_texts(p.chance(0.3)),
        silent(plan.evaluate_s > 0 && plan.end > plan.first + 1 && p.chance(0.2)),
        rare(bars && p.chance(0.15)),
        rest_share(bars && p.chance(0.15) ? 4 : 0) {
    plan.interrupted = -1;
    plan.part = plan.part && !rare;
    if (silent || rare) {
      plan.every = silent ? 10'000 : plan.steps;
      p.kind(silent ? "no loss" : "few states");
    }
    if (rest_share > 0) {
      p.kind("last step is smaller");
    }
    p.text.live_resolution_s = bars ? 0.12 : 0.02;
  }

  bool evaluates() const { return plan.evaluate_s > 0; }

  void dict(const std::string& words) {
    std::string line;
    for (std::size_t at = 0; at < words.size(); ++at) {
      line += words[at];
      if (as_texts && words.substr(0, at + 1).ends_with(": ")) {
        const auto end = std::min(words.find(',', at), words.size());
        line += "'" + words.substr(at + 1, end - at - 1) + "'";
        at = end - 1;
      }
    }
    p.plain("{" + line + "}");
  }

  /// Epochs done: of the batches.
  double part(std::int64_t step) const {
    const auto whole = step / plan.steps;
    const auto of_epoch = static_cast<double>(step % plan.steps);
    const auto share = static_cast<double>(rest_share);
    const auto steps = static_cast<double>(plan.steps);
    return static_cast<double>(whole) +
           (rest_share > 0 ? of_epoch * share / ((steps - 1) * share + 1) : of_epoch / steps);
  }

  void draw(std::int64_t step, bool again = false) {
    if (bars && !(rare && (again || step % plan.steps != 0))) {
      p.bar("", step, plan.total * plan.steps, p.now_s - begin_s);
    }
  }

  void log(std::int64_t step) {
    p.bytes(bars ? "\r" + std::string(60, ' ') + "\r" : "");
    dict(fmt::format("'loss': {}, 'grad_norm': 1.2345, 'learning_rate': 4.3e-05, 'epoch': {}",
                     p.number(0.1, 6, 4), rounded(part(step))));
    draw(step, true);
  }

  void train(std::int64_t number, std::int64_t steps) {
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 1; i <= steps; ++i) {
      const bool small = rest_share > 0 && i == plan.steps;
      p.wait(small ? step_s / static_cast<double>(rest_share) : step_s);
      const auto step = number * plan.steps + i;
      draw(step);
      if (step % plan.every == 0) {
        log(step);
      }
    }
  }

  void evaluate(std::int64_t number, TrueEpoch& epoch) {
    const double since_s = p.now_s;
    const bool draws = bars && !rare;
    for (std::int64_t i = 0; draws && i <= batches; ++i) {
      p.bytes("\n");
      p.bar("", i, batches, p.now_s - since_s);
      p.bytes("\x1b[A");
      p.wait(i < batches ? plan.evaluate_s / static_cast<double>(batches) : 0);
    }
    p.wait(draws ? 0 : plan.evaluate_s);
    epoch.evaluate_s = p.now_s - since_s;
    const auto loss = p.number(0.1, 6, 4);
    const auto clear = "\r" + std::string(60, ' ') + "\r";
    p.bytes(draws ? "\n" + clear + "\x1b[A" : bars ? clear : "");
    dict(
        fmt::format("'eval_loss': {}, 'eval_runtime': {:.4f}, 'eval_samples_per_second': 55.2, "
                    "'eval_steps_per_second': 5.5, 'epoch': {}",
                    loss, epoch.evaluate_s, rounded(static_cast<double>(number + 1))));
    draw((number + 1) * plan.steps, true);
    epoch.metrics.push_back({"eval_loss", std::stod(loss)});
  }

  void operator()(std::int64_t number, std::int64_t steps) {
    const double since_s = p.now_s;
    train(number, steps);
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - since_s;
    const bool logged_end = (number + 1) * plan.steps % plan.every == 0;
    const double interval_s = plan.step_s * 1.02 * static_cast<double>(plan.every);
    if (bars) {
      epoch.steps = plan.steps;
      epoch.stated_s = epoch.wall_s;
      epoch.stated_slack_s = 1.1;
    } else {
      const bool seen_end = evaluates() || logged_end;
      epoch.slack_s =
          (seen_end ? 0.1 : 1.1) * interval_s + (number == plan.first ? plan.step_s : 0);
      epoch.split_known = !evaluates() || logged_end;
      epoch.maybe = number + 1 == plan.end && !seen_end && plan.end < plan.total;
    }
    if (evaluates()) {
      evaluate(number, epoch);
    }
  }
};

void write(Program& p) {
  Trainer trainer(p);
  p.wait(p.real(0.1, 10));
  if (p.chance(0.4)) {
    p.other_bar();
  }
  trainer.begin_s = p.now_s;
  const auto& plan = trainer.plan;
  trainer.draw(plan.first * plan.steps);
  run(p, plan, trainer);
  if (!plan.part && plan.end == plan.total) {
    trainer.dict(
        fmt::format("'train_runtime': {:.4f}, 'train_samples_per_second': 55.5, "
                    "'train_steps_per_second': 5.5, 'train_loss': 1.2345, 'epoch': {}",
                    p.now_s - trainer.begin_s, rounded(static_cast<double>(plan.total))));
  }
  p.kind(trainer.bars ? "bars" : "no bars");
  // Only evaluations are shown, or too few states to know how many steps an epoch has.
  p.text.ambiguous = trainer.bars ? trainer.rare && plan.end < plan.total : trainer.silent;
  if (trainer.bars) {
    p.text.totals = {plan.total};
  }
}

}  // namespace huggingface_text

TextSpec huggingface() {
  return {huggingface_text::write};
}

}  // namespace epochcast::tests::texts
