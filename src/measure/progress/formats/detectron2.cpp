// detectron2's CommonMetricPrinter, which counts steps of the whole run and no epochs:
//   [02/03 08:00:04 d2.utils.events]:  eta: 1:00:00  iter: 119  total_loss: 1.30  time: 0.40  lr:
//   0.01
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec detectron2() {
  return pattern_format(
      {.summary = "detectron2's lines: 'eta: 1:00:00  iter: 119  total_loss: 1.30  time: 0.40 ...'",
       .rules =
           {{.says = Says::step_of_run,
             .needs = "iter: ",
             .pattern =
                 R"((?:eta: [\w ,:]+|\]:)\s+iter: (?<step>\d+)\s+(?<values>total_loss: .*\btime: (?<step_time>[\d.]+).*))",
             .first_step = 0},
            {.says = Says::evaluation,
             .needs = "Start inference on",
             .pattern = R"(Start inference on \d+ )",
             .evidence = 0},
            {.says = Says::evaluated,
             .needs = "Total inference",
             .pattern = R"(Total inference (?:pure compute )?time: )",
             .evidence = 0}},
       .not_metrics = {"time", "last_time", "data_time", "last_data_time", "max_mem"},
       .hints = {"iter: ", "Start inference on", "Total inference"}});
}

}  // namespace epochcast::progress::formats
