// timm's train.py (train_one_epoch, validate):
//   Train: 0 [   0/100 (  1%)]  Loss: 6.91 (6.91)  Time: 0.312s,  410.2/s  (...)  LR: 1.000e-06 ...
//   Test: [   0/78]  Time: 0.3 (0.3)  Loss:   6.9 (  6.9)  Acc@1: ...
//   *** Best metric: 71.2 (epoch 3)       Scheduled epochs: 300. LR stepped per epoch.
// The second number of a test is that of the last batch, from 0; its averages are in brackets.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec timm() {
  return pattern_format(
      {.summary = "timm's train.py: Train: 0 [  10/100 ( 11%)]  Loss: ...",
       .rules =
           {{.says = Says::step,
             .needs = "Train: ",
             .pattern =
                 R"(^.{0,63}?Train: (?<epoch>\d+) \[ *(?<step>\d+)/(?<steps>\d+) \(.*?%\)\](?=(?:.*? Time: \S+ +\S+ +\( *(?<step_mean>[\d.]+)s?,)?)(?<values>.*))",
             .first_step = 0},
            {.says = Says::evaluated,
             .needs = "Test",
             .pattern =
                 R"(^.{0,63}?Test.*?: \[ *(?<step>\d+)/\g{step}\]  Time:(?: \S+ \( *(?<step_mean>[\d.]+)s?\))? (?<values>.*))",
             .first_step = 0,
             .evidence = 0,
             .prefix = "eval_",
             .value = R"((?<name>\S+): [^:(]*\( *(?<value>[-+.\deE]+))",
             .lower_case = true},
            {.says = Says::evaluation,
             .needs = "Test",
             .pattern =
                 R"(^.{0,63}?Test.*?: \[ *(?<step>\d+)/(?<steps>\d+)\]  Time: (?:\S+ \( *(?<step_mean>[\d.]+)s?\))?)",
             .first_step = 0,
             .evidence = 0,
             .steps_from_zero = true},
            {.says = Says::facts,
             .needs = "Scheduled epochs: ",
             .pattern = R"(^.{0,63}?Scheduled epochs: (?<epochs>\d+)\.)"}},
       .not_metrics = {"time", "data"}});
}

}  // namespace epochcast::progress::formats
