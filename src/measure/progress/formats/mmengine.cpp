// OpenMMLab's logs (mmdetection, mmsegmentation, mmpretrain, ...), by mmengine's LoggerHook and by
// mmcv's TextLoggerHook before it:
//   Epoch(train)  [1][ 50/100]  lr: 1.0e-02  eta: 0:12:00  time: 0.5  data_time: 0.1  loss: 1.2
//   Epoch(val)  [1][20/20]  coco/bbox_mAP: 0.5  data_time: 0.05  time: 0.09
//   Epoch [1][50/100]	lr: 1.0e-02, eta: 0:12:00, time: 0.5, data_time: 0.1, loss: 1.2
//   {"mode": "train", "epoch": 1, "iter": 50, "lr": 0.01, ..., "loss": 1.2, "time": 0.5}
//   {"mode": "val", "epoch": 1, "iter": 20, "lr": 0.01, "bbox_mAP": 0.3}
//   Iter(train) [ 100/1000]  lr: ...  time: 0.5   Iter [100/1000]	lr: ..., time: 0.5
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec mmengine() {
  const std::string cell = R"re("(?<name>\w+)": (?<value>[-+.\deE]+))re";
  return pattern_format(
      {.summary = "OpenMMLab's lines: 'Epoch(train) [1][50/100] lr: ... time: 0.5 loss: 1.2'",
       .rules =
           {{.says = Says::step,
             .needs = "Epoch",
             .pattern =
                 R"((?J)Epoch(?:\(train\)\s+\[(?<epoch>\d+)\]\[\s*(?<step>\d+)/(?<steps>\d+)\]\s+(?<values>(?:.*?\btime: (?<step_time>[\d.]+))?.*))"
                 R"(|\s+\[(?<epoch>\d+)\]\[\s*(?<step>\d+)/(?<steps>\d+)\]\s+(?<values>.*\btime: (?<step_time>[\d.]+).*)))",
             .first_epoch = 1,
             .first_step = 1},
            {.says = Says::evaluated,
             .needs = "Epoch(val)",
             .pattern =
                 R"(Epoch\(val\)\s*\[\d+\](?:\[\s*(?<step>\d+)/\g{step}\]|\[\d+\])\s+(?<values>.*))",
             .first_step = 1},
            {.says = Says::evaluation,
             .needs = "Epoch(val)",
             .pattern = R"(Epoch\(val\)\s*\[\d+\]\[\s*(?<step>\d+)/(?<steps>\d+)\])",
             .first_step = 1},
            {.says = Says::step_of_run,
             .needs = "Iter",
             .pattern =
                 R"(Iter(?:\(train\))?\s*\[\s*(?<step>\d+)/(?<steps>\d+)\]\s+(?<values>.*\btime: (?<step_time>[\d.]+).*))",
             .first_step = 1},
            {.says = Says::evaluated,
             .needs = "Iter(val)",
             .pattern = R"(Iter\(val\)\s*\[\s*(?<step>\d+)/\g{step}\]\s+(?<values>.*\w: .*))",
             .first_step = 1},
            {.says = Says::evaluation,
             .needs = "Iter(val)",
             .pattern = R"(Iter\(val\)\s*\[\s*(?<step>\d+)/(?<steps>\d+)\])",
             .first_step = 1},
            {.says = Says::step,
             .needs = "\"mode\": \"train\"",
             .pattern =
                 R"("epoch": (?<epoch>\d+), "iter": (?<step>\d+), (?<values>.*"time": (?<step_time>[\d.]+)))",
             .first_epoch = 1,
             .first_step = 1,
             .value = cell},
            {.says = Says::evaluated,
             .needs = "\"mode\": \"val\"",
             .pattern = R"("epoch": (?<epoch>\d+), (?<values>.*))",
             .first_epoch = 1,
             .value = cell}},
       .not_metrics = {"eta", "time", "data_time", "memory", "iter"},
       .hints = {"Epoch(", "Epoch [", "Iter(", "Iter [", "\"mode\": \""}});
}

}  // namespace epochcast::progress::formats
