// tqdm's bars, alone or nested, and the lines that the loop prints between them.
#include "src/progress/bar_reader.hpp"
#include "src/progress/format.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override { return reader_.read(line); }
  std::vector<TimedReading> waiting() override { return reader_.waiting(); }
  void finish() override { reader_.finish(); }

 private:
  BarReader reader_;
};

}  // namespace

FormatSpec tqdm() {
  return {.summary = "tqdm's bars, and a loop's own prints between them",
          .hints = {"%|", "/s]", "/s, ", "s/it", "poch", "POCH", "ptimization steps"},
          .general = true,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
