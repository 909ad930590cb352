// What scikit-learn's estimators print with `verbose`: gradient boosting a table of rounds, of
// which later only each 10th and 100th; the multi-layer perceptron a line an iteration over all
// samples, always with eight decimals; SGD's estimators several lines an epoch.
//         Iter       Train Loss   Remaining Time
//            1           1.3017            0.04s
//   Iteration 1, loss = 0.70959657
//   Validation score: 0.525000
//   -- Epoch 1
//   Norm: 95.66, NNZs: 8, Bias: -6.962005, T: 400, Avg. loss: 2.540653, Objective: 2.885491
//   Total training time: 0.00 seconds.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec sklearn() {
  return pattern_format(
      {.summary = "scikit-learn's estimators: 'Iteration 1, loss = 0.70959657'",
       .rules = {
           {.says = Says::begin,
            .needs = "Train Loss",
            .pattern = "^ *Iter +Train Loss .*Remaining Time *$",
            .evidence = 0},
           {.says = Says::end,
            .needs = "         ",
            .pattern =
                R"(^ *(?<epoch>\d+) {6,}(?<train_loss>-?\d+\.\d{4})(?: {6,}(?<oob_improve>-?\d+\.\d{4}))? {6,}\d+\.\d\d[smh]$)",
            .first_epoch = 1,
            .evidence = 0.34,
            .from_start = true},
           {.says = Says::end,
            .needs = "Iteration ",
            .pattern = R"(^Iteration (?<epoch>\d+), loss = (?<loss>-?\d+\.\d{8})$)",
            .first_epoch = 1,
            .evidence = 0.34,
            .from_start = true},
           {.says = Says::evaluated,
            .needs = "Validation score: ",
            .pattern = R"(^Validation score: (?<validation_score>-?\d+\.\d{6})$)",
            .evidence = 0},
           {.says = Says::begin,
            .needs = "-- Epoch ",
            .pattern = R"(^-- Epoch (?<epoch>\d+)$)",
            .first_epoch = 1,
            .evidence = 0},
           {.says = Says::facts,
            .needs = "Avg. loss: ",
            .pattern = R"(^Norm: .*, Avg\. loss: (?<avg_loss>[^,]+))"},
           {.says = Says::end,
            .needs = "Total training time: ",
            .pattern = R"(^Total training time: (?<clock>\d+\.\d\d) seconds\.$)"}}});
}

}  // namespace epochcast::progress::formats
