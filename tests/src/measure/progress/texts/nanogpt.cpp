// nanoGPT's train.py: iterations of the run, no epochs.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace nanogpt_text {
void write(Program& p) {
  const auto every = p.pick<std::int64_t>({1, 10});
  const auto last = p.whole(6, 40) * every;
  const double step_s = p.spread(0.05, 8);
  const auto evaluate_every = every * p.pick<std::int64_t>({5, 10, 25});
  if (p.chance(0.3)) {
    p.use_stamps(step_s * 100);
  }
  p.wait(p.real(0.5, 10));
  p.line("number of parameters: 10.65M");
  p.wait(p.real(0.5, 10));
  for (std::int64_t step = 0; step <= last; ++step) {
    double spent_s = step_s * p.real(0.98, 1.02);
    if (step % evaluate_every == 0) {
      const double evaluate_s = step_s * p.real(1, 5);
      p.wait(evaluate_s);
      p.line(fmt::format("step {}: train loss {}, val loss {}", step, p.number(1, 5, 4),
                         p.number(1, 5, 4)));
      if (step > 0 && p.chance(0.5)) {
        p.line("saving checkpoint to out-shakespeare-char");
      }
      p.wait(spent_s);
      spent_s += evaluate_s;
    } else {
      p.wait(spent_s);
    }
    if (step % every == 0) {
      p.line(fmt::format("iter {}: loss {}, time {:.2f}ms, mfu {:.2f}%", step, p.number(1, 5, 4),
                         spent_s * 1000, step < 5 * every ? -100.0 : 12.3));
    }
  }
  p.text.run_steps = TrueSteps{.last = last + 1,
                               .total = {},
                               .step_s = step_s,
                               .slack_s = p.text.stamp_resolution_s / static_cast<double>(every) +
                                          (p.text.stamp_resolution_s > 0.5 ? step_s : 0),
                               .stated_s = step_s,
                               .stated_slack_s = 1e-3};
}

}  // namespace nanogpt_text

TextSpec nanogpt() {
  return {nanogpt_text::write};
}

}  // namespace epochcast::tests::texts
