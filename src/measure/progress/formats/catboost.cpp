// CatBoost's lines, from round 0; `total` is the time since the training began:
//   10:	learn: 0.4589	test: 0.5664	best: 0.5664 (10)	total: 68.5ms
//   remaining: 6.23ms
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec catboost() {
  return pattern_format(
      {.summary = "CatBoost's rounds: '10:  learn: 0.45  total: 68.5ms  remaining: 6.23ms'",
       .rules = {
           {.says = Says::end,
            .needs = "total: ",
            .pattern =
                R"(^\s*(?<epoch>\d+):\s+(?<values>(?:learn|test): .*?)(?:\s+best: \S+ \(\d+\))?\s+total: (?<clock>[^\t]+?)(?:\s+remaining: .*)?$)",
            .from_start = true}}});
}

}  // namespace epochcast::progress::formats
