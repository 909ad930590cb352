// Flair's trainers; the time is since the begin of the epoch, and an evaluation follows its end:
//   epoch 1 - iter 10/100 - loss 1.10 - time (sec): 24.53 - samples/sec: 13.05 - lr: 0.100000
//   EPOCH 1 done: loss 1.0000 - lr 0.1000000
//   DEV : loss 1.1000 - f1-score (micro avg)  0.61
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec flair() {
  const std::string value = R"((?:^|- )(?<name>[a-z][^:]*?):? +(?<value>[-+\d.eE]+)(?= - |$))";
  return pattern_format(
      {.summary = "Flair's trainers: 'epoch 1 - iter 10/100 - loss 1.10 - time (sec): 24.53'",
       .rules = {{.says = Says::step,
                  .needs = " - iter ",
                  .pattern = R"(^epoch (?<epoch>\d+) - iter (?<step>\d+)/(?<steps>\d+) - )"
                             R"(loss (?<loss>\S+) - time \(sec\): (?<elapsed>[\d.]+))",
                  .first_epoch = 1,
                  .first_step = 1,
                  .running = true},
                 {.says = Says::end,
                  .needs = "EPOCH ",
                  .pattern = R"(^EPOCH (?<epoch>\d+) done: (?<values>.*))",
                  .first_epoch = 1,
                  .evidence = 0.25,
                  .value = value},
                 {.says = Says::evaluated,
                  .needs = "DEV : ",
                  .pattern = R"(^DEV : (?<values>loss .*))",
                  .evidence = 0,
                  .prefix = "dev_",
                  .value = value}}});
}

}  // namespace epochcast::progress::formats
