// LightGBM's lines of its evaluation, from round 1: "[10]	training's l2: 0.21	valid_0's
// l2: 0.24"; before the first, "[LightGBM] [Info] Start training from score 0.5".
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec lightgbm() {
  return pattern_format(
      {.summary = "LightGBM's rounds: '[10]  valid_0's l2: 0.24'",
       .rules = {{.says = Says::begin,
                  .needs = "Start training from score",
                  .pattern = R"(^(?:\[LightGBM\] )?(?:\[Info\] )?Start training from score -?\d)",
                  .evidence = 0},
                 {.says = Says::end,
                  .needs = "'s ",
                  .pattern = R"(^\s*\[(?<epoch>\d+)\]\s+(?<values>\w+'s \w.*?: ?[-+\deE.]+.*))",
                  .first_epoch = 1,
                  .evidence = 0.34,
                  .from_start = true}}});
}

}  // namespace epochcast::progress::formats
