// One tqdm bar over all steps of the run: the training scripts of diffusers, and loops with
// accelerate.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace one_bar_text {
void write(Program& p) {
  p.text.live_resolution_s = 0.12;
  const auto total = p.whole(20, 120) * 10;
  const auto end = p.chance(0.3) ? p.whole(10, total) : total;
  const double step_s = p.spread(0.02, 5);
  const auto every = std::max<std::int64_t>(1, static_cast<std::int64_t>(0.1 / step_s)) *
                     p.pick<std::int64_t>({1, 5, 10});
  p.wait(p.real(0.1, 10));
  p.plain("***** Running training *****");
  p.plain("  Num examples = 7341");
  p.plain("  Num Epochs = 7");
  p.plain(fmt::format("  Total optimization steps = {}", total));
  if (p.chance(0.4)) {
    p.other_bar();
  }
  const auto head = p.pick({"Steps", "Steps", "", "Training"});
  const double begin_s = p.now_s;
  std::int64_t last = 0;
  for (std::int64_t step = 0; step <= end; ++step) {
    p.wait(step > 0 ? step_s * p.real(0.98, 1.02) : 0);
    if (step % every == 0 || step == end) {
      p.bar(head, step, total, p.now_s - begin_s,
            step > 0 ? fmt::format("loss={}, lr=1e-5", p.number(0.01, 1, 4)) : "");
      last = step;
    }
  }
  p.bytes("\n");
  // A second, in which the bar states its time, over the steps of one drawing; the last drawing, of
  // fewer steps, may be the median of two.
  const auto rest = end % every;
  const auto drawn = rest > 0 && end < 3 * every ? rest : every;
  p.text.run_steps = TrueSteps{.last = last,
                               .total = total,
                               .step_s = step_s,
                               .slack_s = 0.01,
                               .stated_s = step_s,
                               .stated_slack_s = 1.1 / static_cast<double>(drawn)};
}

}  // namespace one_bar_text

TextSpec one_bar() {
  return {one_bar_text::write};
}

}  // namespace epochcast::tests::texts
