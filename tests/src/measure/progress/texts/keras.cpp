// Keras' fit(): verbose 1 and 2, of Keras 3, of TensorFlow 2, and before 2.1 (TF 1.x) by sample.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace keras_text {
std::string old_bar(std::int64_t step, std::int64_t steps) {
  const auto done = 30 * step / steps;
  std::string bar(static_cast<std::size_t>(done), '=');
  if (done < 30) {
    bar += ">" + std::string(static_cast<std::size_t>(29 - done), '.');
  }
  const auto digits = std::to_string(steps).size();
  return fmt::format("{:>{}}/{} [{}]", step, digits, steps, bar);
}

std::string new_bar(std::int64_t step, std::int64_t steps) {
  std::string bar;
  for (std::int64_t i = 0; i < 20; ++i) {
    bar += "━";
  }
  return fmt::format("\x1b[1m{}/{}\x1b[0m \x1b[32m{}\x1b[0m\x1b[37m\x1b[0m", step, steps, bar);
}

std::string each(double seconds) {
  return seconds >= 1      ? fmt::format("{:.0f}s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.0f}ms", seconds * 1e3)
                           : fmt::format("{:.0f}us", seconds * 1e6);
}

enum class Kind { keras3, tf2, by_sample };

void write(Program& p) {
  Plan plan(p);
  const auto kind = p.pick({Kind::keras3, Kind::tf2, Kind::by_sample});
  const bool bars = p.chance(0.6);
  const bool validates = plan.evaluate_s > 0;
  const auto unit = kind == Kind::by_sample ? "sample" : "step";
  const auto batch = p.pick<std::int64_t>({1, 32, 64});
  const auto count = kind == Kind::by_sample ? plan.steps * batch : plan.steps;
  if (!bars && p.chance(0.3)) {
    p.use_stamp_style(p.pick({4, 0}));
  }
  p.wait(p.real(0.1, 10));
  if (kind == Kind::by_sample) {
    p.line(validates ? fmt::format("Train on {} samples, validate on {} samples", count, count / 4)
                     : fmt::format("Train on {} samples", count));
  }
  p.kind(bars ? "verbose 1" : "verbose 2");
  const auto say = [&](const std::string& words) { bars ? p.plain(words) : p.line(words); };
  const bool short_lines = p.chance(0.5);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    say(fmt::format("Epoch {}/{}", number + 1, plan.total));
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    const auto draw = [&](std::int64_t step, const std::string& tail) {
      const auto at = kind == Kind::by_sample ? step * batch : step;
      const auto back = kind == Kind::keras3 ? "\r" : std::string(80, '\b') + "\r";
      p.bytes(back +
              (kind == Kind::keras3 ? new_bar(at, count) + " " : old_bar(at, count) + " - ") +
              tail);
    };
    std::string loss = p.number(0.1, 6, 4);
    for (std::int64_t step = 1; step <= steps; ++step) {
      p.wait(step_s);
      if (bars) {
        loss = p.number(0.1, 6, 4);
        const double left_s = step_s * static_cast<double>(plan.steps - step);
        draw(step, kind == Kind::keras3 ? fmt::format("\x1b[1m{:.0f}s\x1b[0m {}/step - loss: {}",
                                                      left_s, each(step_s), loss)
                                        : fmt::format("ETA: {:.0f}s - loss: {}", left_s, loss));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    if (validates) {
      p.wait(plan.evaluate_s);
      epoch.evaluate_s = plan.evaluate_s;
    }
    const double both_s = epoch.wall_s + epoch.evaluate_s;
    epoch.split_known = bars || !validates;
    epoch.stated_s = both_s;
    epoch.stated_sum = true;
    epoch.stated_slack_s = 1;
    if (kind != Kind::by_sample) {
      epoch.steps = plan.steps;
    }
    const auto val = p.number(0.1, 6, 4);
    const auto metrics = fmt::format(" - loss: {}{}", loss, validates ? " - val_loss: " + val : "");
    epoch.metrics = {{"loss", std::stod(loss)}};
    if (validates) {
      epoch.metrics.push_back({"val_loss", std::stod(val)});
    }
    if (p.chance(0.25)) {  // ModelCheckpoint writes before the bar is drawn for the last time
      const auto words = fmt::format(
          "Epoch {:0{}d}: val_loss improved from inf to 0.73410, saving model to best.keras",
          number + 1, kind == Kind::keras3 ? 1 : 5);
      bars ? p.bytes("\n" + words + "\n") : (p.line(""), p.line(words));
    }
    const auto seconds = static_cast<std::int64_t>(both_s);
    const auto mean = both_s / static_cast<double>(count);
    if (bars) {
      draw(plan.steps,
           kind == Kind::keras3
               ? fmt::format("\x1b[1m{}s\x1b[0m {}/step{}", seconds, each(mean), metrics)
               : fmt::format("{}s {}/{}{}", seconds, each(mean), unit, metrics));
      p.bytes("\n");
    } else if (kind == Kind::by_sample) {
      p.line(short_lines ? fmt::format(" - {}s{}", seconds, metrics)
                         : fmt::format("{}/{} - {}s{}", count, count, seconds, metrics));
    } else if (kind == Kind::keras3) {
      p.line(fmt::format("{}/{} - {}s - {}/step{}", count, count, seconds, each(mean), metrics));
    } else {  // the times at the end since TensorFlow 2.6
      p.line(fmt::format(
          "{}/{} - {}s{}{}", count, count, seconds, metrics,
          short_lines ? "" : fmt::format(" - {}/epoch - {}/step", each(both_s), each(mean))));
    }
  });
  p.text.totals = {plan.total};
}

}  // namespace keras_text

TextSpec keras() {
  return {keras_text::write};
}

}  // namespace epochcast::tests::texts
