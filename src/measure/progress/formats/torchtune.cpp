// torchtune's recipes (recipes/*.py): a bar for each epoch, which begins with the epoch and the
// step of the run, both from 1.
//   2|130|Loss: 1.2345:  30%|███       | 30/100 [01:30<03:30,  3.00s/it]
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec torchtune() {
  return pattern_format(
      {.summary = "torchtune's bars: '1|30|Loss: 1.2345:  30%|███ | 30/100 [...]'",
       .rules = {
           {.says = Says::step,
            .needs = "|Loss: ",
            .pattern =
                R"(^\s*(?<epoch>\d+)\|\d+\|Loss: (?<loss>[^: ]+): +\d+%\|[^|]*\| *(?<step>\d+)/(?<steps>\d+) \[(?<elapsed>[\d:]+)<)",
            .first_epoch = 1,
            .first_step = 1,
            .evidence = 1,
            .running = true}}});
}

}  // namespace epochcast::progress::formats
