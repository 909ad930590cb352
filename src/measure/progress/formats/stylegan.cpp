// The training loops of StyleGAN2-ADA and StyleGAN3, whose unit of reports is a tick of some
// thousand images; tick 0 is printed at the start:
//   tick 1     kimg 4.0      time 30s          sec/tick 18.2    sec/kimg 4.5     maintenance 0.1
//   ...
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec stylegan() {
  return pattern_format(
      {.summary = "StyleGAN's ticks: 'tick 1  kimg 4.0  time 30s  sec/tick 18.2 ...'",
       .rules =
           {{.says = Says::begin, .needs = "tick 0 ", .pattern = R"(^\s*tick (?<epoch>0) +kimg )"},
            {.says = Says::end,
             .needs = "sec/tick",
             .pattern =
                 R"(^\s*tick (?<epoch>[1-9]\d*) +kimg .*sec/tick +(?<duration>[\d.]+) .*maintenance +(?<overhead>[\d.]+))",
             .first_epoch = 1}},
       .hints = {"sec/tick"}});
}

}  // namespace epochcast::progress::formats
