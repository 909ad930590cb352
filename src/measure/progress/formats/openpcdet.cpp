// OpenPCDet's train.py in its log file; its bars are tqdm's:
//   Train:    1/80 (  1%) [  10/ 100 (  9%)]  Loss: 1.2 (1.3)  LR: 3.0e-04  Time cost: 00:05/00:50
//   ...
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec openpcdet() {
  return pattern_format(
      {.summary = "OpenPCDet's lines: 'Train:    1/80 (  1%) [  10/ 100 (  9%)]  Loss: ...'",
       .rules = {
           {.says = Says::step,
            .needs = "Train: ",
            .pattern =
                R"(Train:\s+(?<epoch>\d+)/(?<epochs>\d+) \(\s*\d+%\) \[\s*(?<step>\d+)/\s*(?<steps>\d+) \(\s*\d+%\)\]\s+(?<values>.*?)Time cost: (?<elapsed>[\d:]+)/)",
            .first_epoch = 1}}});
}

}  // namespace epochcast::progress::formats
