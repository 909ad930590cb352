// timm's train.py (train_one_epoch, validate):
//   Train: 0 [   0/100 (  1%)]  Loss: 6.91 (6.91)  Time: 0.312s,  410.2/s  (...)  LR: 1.000e-06 ...
//   Test: [   0/78]  Time: 0.3 (0.3)  Loss:   6.9 (  6.9)  Acc@1: ...
//   *** Best metric: 71.2 (epoch 3)       Scheduled epochs: 300. LR stepped per epoch.
#include "src/base/core/text.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    constexpr std::size_t longest_lead = 64;
    if (const auto at = line.text.find("Train: "); at < longest_lead) {
      Scanner scanner(line.text.substr(at + 7));
      return train(scanner);
    }
    if (const auto at = line.text.find("Test"); at < longest_lead && epoch_) {
      const auto bracket = line.text.find(": [", at);
      if (bracket != std::string_view::npos) {
        Scanner scanner(line.text.substr(bracket + 3));
        return test(scanner);
      }
    }
    if (const auto at = line.text.find("Scheduled epochs: "); at < longest_lead) {
      Scanner scanner(line.text.substr(at + 18));
      const auto epochs = whole(scanner);
      epochs_ = epochs && scanner.skip(".") ? epochs : epochs_;
    }
    return std::nullopt;
  }

 private:
  /// "[   0/100 (  1%)]  Loss: ..."; older versions end the bracket in the same way.
  std::optional<Reading> train(Scanner& scanner) {
    const auto epoch = whole(scanner);
    if (!epoch || !scanner.skip(" [")) {
      return std::nullopt;
    }
    scanner.skip_blanks();
    const auto steps = fraction(scanner);
    const auto loss = scanner.rest().find("%)]");
    if (!steps || !steps->total || steps->number >= *steps->total || !scanner.skip(" (") ||
        loss == std::string_view::npos) {
      return std::nullopt;
    }
    epoch_ = epoch;
    Reading reading{
        .epoch = epoch, .epochs = epochs_, .step = steps->number + 1, .steps = steps->total};
    reading.metrics = named_values(scanner.rest(), false);
    std::erase_if(reading.metrics,
                  [](const auto& value) { return value.name == "Time" || value.name == "Data"; });
    reading.evidence = 0.5;
    return reading;
  }

  static std::optional<Reading> test(Scanner& scanner) {
    scanner.skip_blanks();
    const auto steps = fraction(scanner);
    if (!steps || !steps->total || steps->number > *steps->total || !scanner.skip("]  Time: ")) {
      return std::nullopt;
    }
    // The second number is that of the last batch, from 0.
    Reading reading{
        .phase = Phase::evaluate, .step = steps->number + 1, .steps = *steps->total + 1};
    if (steps->number == *steps->total) {
      reading.metrics = averages(scanner.rest());
    }
    return reading;
  }

  /// Of "Loss:   6.9 (  6.8)  Acc@1: 0.0 (0.1)" the numbers in brackets, by eval_NAME.
  static std::vector<NamedValue> averages(std::string_view text) {
    std::vector<NamedValue> found;
    for (auto colon = text.find(": "); colon != std::string_view::npos;
         colon = text.find(": ", colon + 1)) {
      const auto begin = text.rfind(' ', colon) + 1;
      const auto open = text.find('(', colon);
      if (open == std::string_view::npos) {
        break;
      }
      Scanner scanner(text.substr(open + 1));
      scanner.skip_blanks();
      if (const auto value = scanner.number()) {
        found.push_back(
            {.name = "eval_" + to_lower(text.substr(begin, colon - begin)), .value = *value});
      }
    }
    return found;
  }

  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> epochs_;
};

}  // namespace

FormatSpec timm() {
  return {.summary = "timm's train.py: Train: 0 [  10/100 ( 11%)]  Loss: ...",
          .hints = {"Train: ", "Test", "Scheduled epochs"},
          .general = false,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
