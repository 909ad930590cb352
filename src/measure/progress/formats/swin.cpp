// Swin Transformer's main.py, and the many that began as a copy of it (SimMIM, ConvNeXt V2's
// fine-tuning, Vision Mamba):
//   [2021-05-01 10:00:00 swin_tiny](main.py 213): INFO Train: [0/300][10/1251]	eta 0:10:20 lr
//   0.0001	 wd 0.05	time 0.5 (0.5)	loss 6.9 (6.9)	grad_norm 1.4 (1.5)	mem 5000MB
//   ... INFO EPOCH 0 training takes 0:10:25
//   ... INFO Test: [0/98]	Time 2.1 (2.1)	Loss 6.9 (6.9)	Acc@1 0.3 (0.3)	Mem 5000MB
//   ... INFO  * Acc@1 0.350 Acc@5 1.390
// Steps are from 0, each printed when it is done.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec swin() {
  return pattern_format(
      {.summary =
           "Swin Transformer's main.py: 'Train: [0/300][10/1251] eta 0:10:20 ... time 0.5 (0.5)'",
       .rules =
           {{.says = Says::step,
             .needs = "Train: [",
             .pattern =
                 R"(Train: \[(?<epoch>\d+)/(?<epochs>\d+)\]\[(?<step>\d+)/(?<steps>\d+)\]\s*(?:eta \S+.*?\stime \S+ \((?:(?<step_mean>\d+\.\d+)|[^)]*)\)\s*)?(?<values>.*))",
             .first_step = 0,
             .bare = true,
             .counts_epochs = true},
            {.says = Says::end,
             .needs = " training ",
             .pattern = R"(EPOCH (?<epoch>\d+) training (?:takes (?<duration>[\w ,]*:\S+)|done))"},
            {.says = Says::evaluation,
             .needs = "Test: [",
             .pattern =
                 R"(Test: \[(?<step>\d+)/(?<steps>\d+)\]\s*(?:Time \S+ \((?:(?<step_mean>\d+\.\d+)|[^)]*)\)|Loss ))",
             .first_step = 0,
             .evidence = 0},
            {.says = Says::evaluated,
             .needs = "* ",
             .pattern = R"((?:^|\s)\* (?<values>Acc@1 .*))",
             .evidence = 0,
             .bare = true}},
       .not_metrics = {"mem", "wd", "loss_scale"}});
}

}  // namespace epochcast::progress::formats
