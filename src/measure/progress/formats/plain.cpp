// Lines of a loop's own prints: "Epoch 3/10 loss 0.5", "Epoch: 3 | loss: 0.41 | val_loss: 0.44",
// "[Epoch 3] step 100/200 loss=0.4".
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/plain_parser.hpp"

namespace epochcast::progress::formats {

FormatSpec plain() {
  return {.summary = "a loop's own prints that name the epoch: 'Epoch 3/10 loss 0.5'",
          .hints = {"poch", "POCH", "rain Loss:", "al Loss:", "est Loss:", "rain loss:", "al loss:",
                    "est loss:", "LOSS train"},
          .general = true,
          .open = [](const auto&) { return std::make_unique<PlainParser>(); }};
}

}  // namespace epochcast::progress::formats
