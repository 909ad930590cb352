#include "src/progress/format.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& /*line*/) override { return std::nullopt; }
};

}  // namespace

FormatSpec tqdm() {
  return {.summary = "tqdm's bars", .open = [] { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
