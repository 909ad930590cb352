// nanoGPT's train.py and its copies, which count steps of the whole run and no epochs:
//   tokens per iteration will be: 491,520
//   step 250: train loss 2.4321, val loss 2.4555
//   iter 250: loss 2.4410, time 132.91ms, mfu 17.20%
// The second is printed after an evaluation; that of step 0 comes before any step.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec nanogpt() {
  return pattern_format(
      {.summary = "nanoGPT and its copies: 'iter 250: loss 2.4410, time 132.91ms'",
       .rules = {
           {.says = Says::step_of_run,
            .needs = "iter ",
            .pattern = R"(^\s*iter (?<step>\d+): loss (?<loss>[^,]+), (?:.*, )?time )",
            .first_step = 0,
            .evidence = 0.34},
           {.says = Says::evaluated,
            .needs = "step ",
            .pattern =
                R"(^\s*step [1-9]\d*: train loss (?<train_loss>[^,]+),.*?val loss (?<val_loss>\S+))",
            .evidence = 0.34},
           {.says = Says::facts,
            .needs = "okens per iteration",
            .pattern = R"(^[Tt]okens per iteration will be: (?<tokens_per_step>[\d,]+)$)"}}});
}

}  // namespace epochcast::progress::formats
