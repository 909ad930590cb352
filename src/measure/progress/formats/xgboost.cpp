// XGBoost's lines of its evaluation, from round 0: "[10]	train-rmse:0.51	eval-rmse:0.62".
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec xgboost() {
  return pattern_format(
      {.summary = "XGBoost's rounds: '[10]  train-rmse:0.51  eval-rmse:0.62'",
       .rules = {{.says = Says::end,
                  .needs = "]",
                  .pattern = R"(^\s*\[(?<epoch>\d+)\]\s+(?<values>\w+-[\w@-]+:[-+\deE.]+.*))",
                  .evidence = 0.34,
                  .from_start = true}},
       .hints = {"]\t", "-rmse", "-logloss", "-error", "-auc", "-mae", "-mlogloss"}});
}

}  // namespace epochcast::progress::formats
