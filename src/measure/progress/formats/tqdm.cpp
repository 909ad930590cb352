// tqdm's bars, alone or nested, and the lines that the loop prints between them.
#include "src/measure/progress/bar_parser.hpp"
#include "src/measure/progress/format.hpp"

namespace epochcast::progress::formats {

FormatSpec tqdm() {
  return {.summary = "tqdm's bars, and a loop's own prints between them",
          .hints = {"%|", "/s]", "/s, ", "s/it", "poch", "POCH", "ptimization steps"},
          .general = true,
          .open = [](const auto&) { return std::make_unique<BarParser>(); }};
}

}  // namespace epochcast::progress::formats
