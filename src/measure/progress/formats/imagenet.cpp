// pytorch/examples' imagenet/main.py, and its many copies:
//   Epoch: [0][  10/5005] Time 0.1 ( 0.2) Data 0.0 ( 0.1) Loss 6.9e+00 (7.0e+00) Acc@1 ...
//   Test: [ 0/79] Time ...
//    *   Acc@1 55.102 Acc@5 78.241
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec imagenet() {
  return pattern_format(
      {.summary = "pytorch/examples' imagenet/main.py: 'Epoch: [0][  10/5005] Time 0.1 (0.2) ...'",
       .rules =
           {{.says = Says::step,
             .needs = "Epoch: [",
             .pattern =
                 R"(Epoch: \[(?<epoch>\d+)\]\[\s*(?<step>\d+)/\s*(?<steps>\d+)\]:?\s*(?:lr: \S+\s*)?,?\s*(?:Batch )?Time:?\s+[\d.]+s?\s+\(\s*(?<step_mean>[\d.]+)s?\)\s*(?<values>.*))",
             .bare = true},
            {.says = Says::evaluation,
             .needs = "Test: [",
             .pattern =
                 R"(Test: \[\s*(?<step>\d+)/\s*(?<steps>\d+)\]:?\s*Time:?\s+[\d.]+s?(?:\s+\(\s*(?<step_mean>[\d.]+)s?\))?)"},
            {.says = Says::evaluated,
             .needs = "* ",
             .pattern = R"((?:^|\s)\*+\s+(?<values>(?:Acc|Prec)@1 .*))",
             .bare = true}},
       .not_metrics = {"time", "data", "batch time", "data time"},
       .hints = {"Epoch: [", "Test: [", "Acc@1", "Prec@1"}});
}

}  // namespace epochcast::progress::formats
