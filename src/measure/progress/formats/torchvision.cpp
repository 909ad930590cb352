// torchvision's reference scripts (references/*/utils.py, MetricLogger.log_every), which many
// others took over (DETR, DINO, MAE, DeiT):
//   Epoch: [0]  [  10/5005]  eta: 1:02:03  lr: 0.1  loss: 6.9 (6.9)  time: 0.3  max mem: 1
//   Epoch: [0] Total time: 0:25:01
//   Test:  [ 0/79]  eta: 0:01:00  loss: ...
//   Test: Total time: 0:00:30
//   Test:  Acc@1 71.2 ...
// Steps are from 0, each printed when it is done. The last one of a test does not end it: the line
// after it does.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec torchvision() {
  return pattern_format(
      {.summary = "MetricLogger of torchvision's reference scripts: Epoch: [0]  [10/50]  eta: ...",
       .rules =
           {{.says = Says::step,
             .needs = "Epoch: [",
             .pattern =
                 R"(^.{0,63}?Epoch: \[(?<epoch>\d+)\] +\[ *(?<step>\d+)/ *(?<steps>\d+)\]  eta: (?<values>.*))",
             .first_step = 0},
            {.says = Says::end,
             .needs = "Epoch: [",
             .pattern =
                 R"(^.{0,63}?Epoch: \[(?<epoch>\d+)\] Total time: (?<duration>[\w ,]*:\S+))"},
            {.says = Says::evaluation,
             .needs = "Test:",
             .pattern = R"(^.{0,63}?Test: *\[ *(?<step>\d+)/ *\d+\]  eta: )",
             .first_step = 0,
             .evidence = 0},
            {.says = Says::evaluated,
             .needs = "Test:",
             .pattern = R"(^.{0,63}?Test: Total time: (?<duration>[\w ,]*:\S+))",
             .evidence = 0},
            {.says = Says::evaluated,
             .needs = "Test:",
             .pattern = R"(^.{0,63}?Test:(?<values> *[A-Za-z]\S*:? -?\d.*))",
             .evidence = 0,
             .bare = true}},
       .not_metrics = {"time", "data", "max mem", "eta"}});
}

}  // namespace epochcast::progress::formats
