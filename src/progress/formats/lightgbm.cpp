// LightGBM's lines of its evaluation, from round 1: "[10]	training's l2: 0.21	valid_0's
// l2: 0.24".
#include "src/progress/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec lightgbm() {
  return pattern_format(
      {.summary = "LightGBM's rounds: '[10]  valid_0's l2: 0.24'",
       .rules = {{.says = Says::end,
                  .needs = "'s ",
                  .pattern = R"(^\s*\[(?<epoch>\d+)\]\s+(?<values>\w+'s \w.*?: ?[-+\deE.]+.*))",
                  .first_epoch = 1,
                  .evidence = 0.34,
                  .from_start = true}},
       .hints = {"'s "}});
}

}  // namespace epochcast::progress::formats
