// ESPnet2's trainer:
//   1/40epoch started
//   1epoch:train:1-100batch: iter_time=1.2e-04, forward_time=0.1, loss=80.2, train_time=0.5
// train_time is that of accum_grad batches, a number that no line states.
//   1epoch results: [train] loss=60.1, ..., time=5 minutes and 30.1 seconds, total_count=1000, ...,
//   [valid] loss=50.2, ..., time=10.5 seconds, ...
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec espnet() {
  return pattern_format(
      {.summary = "ESPnet's lines: '1epoch:train:1-100batch: loss=80.2', '1epoch results: ...'",
       .rules =
           {{.says = Says::begin,
             .needs = "epoch started",
             .pattern = R"(\b(?<epoch>\d+)/(?<epochs>\d+)epoch started)",
             .first_epoch = 1},
            {.says = Says::step,
             .needs = "epoch:train:",
             .pattern = R"(\b(?<epoch>\d+)epoch:train:\d+-(?<step>\d+)batch: (?<values>.*))",
             .first_epoch = 1,
             .first_step = 1},
            {.says = Says::end,
             .needs = "epoch results: ",
             .pattern =
                 R"(\b(?<epoch>\d+)epoch results: \[train\] (?<values>(?:.*?batches=(?<step>\d+),)?.*?time=(?<duration>[^,]+),.*?)(?:\[valid\] (?<held_out>.*?time=(?<evaluation>[^,]+).*))?$)",
             .first_epoch = 1,
             .first_step = 1}},
       .not_metrics = {"iter_time", "forward_time", "backward_time", "optim_step_time",
                       "train_time", "total_count", "gpu_max_cached_mem_gb", "time"}});
}

}  // namespace epochcast::progress::formats
