// The scripts of pytorch/examples: mnist, word_language_model, dcgan; and the CIFAR-10 tutorial.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace pytorch_examples_text {
void mnist(Program& p) {
  p.kind("mnist");
  Plan plan(p);
  plan.from_the_start();
  const auto batch = p.pick<std::int64_t>({32, 64, 128});
  const auto samples = plan.steps * batch - p.whole(0, batch - 1);
  const auto tests = p.whole(1000, 10000);
  if (p.chance(0.3)) {
    p.use_stamps(plan.longest_s());
  }
  p.wait(p.real(0.5, 10));
  p.start_lines();
  p.wait(p.real(0.5, 10));
  double step_s = 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0) {
        p.line(fmt::format(
            "Train Epoch: {} [{}/{} ({:.0f}%)]\tLoss: {}", number + 1, i * batch, samples,
            100.0 * static_cast<double>(i) / static_cast<double>(plan.steps), p.number(0.1, 3, 6)));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.split_known = false;
    epoch.slack_s =
        0.06 * step_s * static_cast<double>(plan.every) + 0.5 * p.text.stamp_resolution_s;
    const double test_s = std::max(plan.evaluate_s, 0.5);
    p.wait(test_s);
    epoch.evaluate_s = test_s;
    const auto loss = p.number(0.01, 2, 4);
    p.plain("");
    p.line(
        fmt::format("Test set: Average loss: {}, Accuracy: {}/{} (98%)", loss, tests - 20, tests));
    p.plain("");
    epoch.metrics = {{"", std::stod(loss)}};
  });
  if (p.text.epochs.size() == 1) {  // its first batch ends with the first line
    p.text.epochs.front().slack_s += step_s;
  }
}

void language_model(Program& p) {
  p.kind("word_language_model");
  Plan plan(p);
  plan.from_the_start();
  plan.every = std::min(plan.every, plan.steps / 3);
  if (p.chance(0.3)) {
    p.use_stamps(plan.longest_s());
  }
  p.wait(p.real(0.5, 10));
  p.start_lines();
  p.wait(p.real(0.5, 10));
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 1; i <= steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0) {
        p.line(fmt::format(
            "| epoch {:3d} | {:5d}/{:5d} batches | lr 20.00 | ms/batch {:5.2f} | loss {:>5} | ppl "
            "{:>8}",
            number + 1, i, plan.steps, step_s * 1000, p.number(1, 9, 2), p.number(10, 3000, 2)));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.evaluate_s = std::max(plan.evaluate_s, 0.2);
    epoch.split_known = false;
    epoch.slack_s =
        0.06 * step_s * static_cast<double>(plan.every) + 0.5 * p.text.stamp_resolution_s;
    p.wait(epoch.evaluate_s);
    epoch.stated_s = p.now_s - begin_s;
    epoch.stated_sum = true;
    epoch.stated_slack_s = 0.02;
    epoch.steps = plan.steps;
    const auto loss = p.number(1, 6, 2);
    p.plain(std::string(89, '-'));
    p.line(fmt::format("| end of epoch {:3d} | time: {:5.2f}s | valid loss {:>5} | valid ppl {:>8}",
                       number + 1, p.now_s - begin_s, loss, p.number(10, 400, 2)));
    p.plain(std::string(89, '-'));
    epoch.metrics = {{"valid loss", std::stod(loss)}};
  });
}

/// The DCGAN example prints each Nth batch from 0; the CIFAR-10 tutorial each Nth from 1, without
/// totals, and a word at its end.
void batches(Program& p, bool gan) {
  p.kind(gan ? "dcgan" : "cifar10");
  Plan plan(p);
  plan.from_the_start();
  plan.every = std::min(plan.every, plan.steps / 3);
  const int base = p.chance(0.8) == gan ? 0 : 1;
  if (p.chance(0.3)) {
    p.use_stamps(plan.longest_s());
  }
  p.wait(p.real(0.5, 10));
  p.start_lines();
  p.wait(p.real(0.5, 10));
  double step_s = 0;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      if (gan && i % plan.every == 0) {
        p.line(fmt::format(
            "[{}/{}][{}/{}]{}Loss_D: {} Loss_G: {} D(x): 0.5012 D(G(z)): 0.4123 / 0.3012",
            number + base, plan.total, i, plan.steps, p.chance(0.5) ? "\t" : " ",
            p.number(0.1, 3, 4), p.number(0.1, 9, 4)));
      } else if (!gan && (i + 1) % plan.every == 0) {
        p.line(fmt::format("[{}, {:5d}] loss: {}", number + base, i + 1, p.number(0.1, 3, 3)));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.maybe = number + 1 == plan.end && (gan || plan.end < plan.total);
    const auto unseen = gan ? (plan.steps - 1) % plan.every : plan.steps % plan.every;
    epoch.slack_s = 0.06 * step_s * static_cast<double>(plan.every) +
                    0.5 * p.text.stamp_resolution_s +
                    (gan ? 0.1 * step_s * static_cast<double>(unseen) : 0.06 * epoch.wall_s);
    if (gan) {
      epoch.steps = plan.steps;
    }
  });
  if (!gan && plan.end == plan.total && !plan.part) {
    p.line("Finished Training");
  }
  if (gan) {
    p.text.totals = {plan.total};
  }
}

void write(Program& p) {
  const auto kind = p.whole(0, 3);
  kind == 0 ? mnist(p) : kind == 1 ? language_model(p) : batches(p, kind == 2);
}

}  // namespace pytorch_examples_text

TextSpec pytorch_examples() {
  return {pytorch_examples_text::write};
}

}  // namespace epochcast::tests::texts
