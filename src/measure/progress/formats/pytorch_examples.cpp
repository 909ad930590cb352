// The scripts of github.com/pytorch/examples, and the many that began as a copy of them:
//   Train Epoch: 1 [640/60000 (1%)]	Loss: 1.234567
//   Test set: Average loss: 0.0284, Accuracy: 9905/10000 (99%)
//   ====> Epoch: 1 Average loss: 164.1
//   | epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 15.59 | loss  7.63 | ppl  2064.78
//   | end of epoch   1 | time: 47.62s | valid loss  5.67 | valid ppl   290.04
#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/core/text.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

constexpr std::array<std::string_view, 5> marks{"Train Epoch: ", "Test set: ", "====> ", "| epoch",
                                                "| end of epoch"};

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    auto begin = line.text.size();  // after the words of a logger
    for (const auto mark : marks) {
      begin = std::min(begin, line.text.find(mark));
    }
    Scanner scanner(trim(line.text.substr(begin)));
    if (scanner.skip("Train Epoch: ")) {
      return train(scanner);
    }
    if (scanner.skip("Test set: ") || scanner.skip("====> Test set ")) {
      return test(scanner);
    }
    if (scanner.skip("====> Epoch: ")) {
      return average(scanner);
    }
    if (scanner.skip("| epoch")) {
      return batches(scanner);
    }
    return scanner.skip("| end of epoch") ? end(scanner) : std::nullopt;
  }

 private:
  std::optional<std::int64_t> epoch_of(Scanner& scanner) {
    scanner.skip_blanks();
    const auto printed = whole(scanner);
    return printed ? count_.from_zero(*printed, true) : std::nullopt;
  }

  /// "1 [640/60000 (1%)]	Loss: 1.2": the numbers are of samples, so they are a part.
  std::optional<Reading> train(Scanner& scanner) {
    Reading reading{.epoch = epoch_of(scanner)};
    if (!reading.epoch || !scanner.skip(" [")) {
      return std::nullopt;
    }
    const auto samples = fraction(scanner);
    const auto close = scanner.rest().find("%)]");
    if (!samples || !samples->total || !scanner.skip(" (") || close == std::string_view::npos) {
      return std::nullopt;
    }
    reading.part = static_cast<double>(samples->number) /
                   static_cast<double>(std::max<std::int64_t>(1, *samples->total));
    reading.metrics = named_values(scanner.rest().substr(scanner.rest().find(']') + 1), false);
    reading.running = true;
    reading.evidence = epoch_ == reading.epoch ? 0 : 0.5;
    epoch_ = reading.epoch;
    return reading;
  }

  /// "Average loss: 0.0284, Accuracy: 9905/10000 (99%)", which follows an epoch.
  std::optional<Reading> test(Scanner& scanner) {
    if (!epoch_) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_, .ends_epoch = true, .evidence = 0.5};
    for (auto& value : named_values(scanner.rest(), false)) {
      const auto name = to_lower(value.name);
      if (name.ends_with("loss")) {
        reading.metrics.push_back({"test_loss", value.value});
      }
    }
    const auto at = scanner.rest().find("Accuracy: ");
    if (at != std::string_view::npos) {
      Scanner accuracy(scanner.rest().substr(at + 10));
      const auto right = fraction(accuracy);
      if (right && right->total && *right->total > 0) {
        reading.metrics.push_back({"test_accuracy", static_cast<double>(right->number) /
                                                        static_cast<double>(*right->total)});
      }
    }
    return reading;
  }

  /// "1 Average loss: 164.1": an evaluation may follow, so the epoch goes on.
  std::optional<Reading> average(Scanner& scanner) {
    Reading reading{.epoch = epoch_of(scanner), .evidence = 0.25};
    if (!reading.epoch) {
      return std::nullopt;
    }
    for (const auto& value : named_values(scanner.rest(), false)) {
      reading.metrics.push_back({"loss", value.value});
    }
    return reading;
  }

  /// "   1 |   200/ 2983 batches | lr 20.00 | ...".
  std::optional<Reading> batches(Scanner& scanner) {
    Reading reading{.epoch = epoch_of(scanner), .evidence = 0.34};
    if (!reading.epoch || !scanner.skip(" |")) {
      return std::nullopt;
    }
    scanner.skip_blanks();
    reading.step = whole(scanner);
    if (!reading.step || !scanner.skip("/")) {
      return std::nullopt;
    }
    scanner.skip_blanks();
    reading.steps = whole(scanner);
    if (!reading.steps || !scanner.skip(" batches |")) {
      return std::nullopt;
    }
    reading.metrics = values_between_bars(scanner.rest());
    std::erase_if(reading.metrics, [](const auto& value) { return value.name == "ms/batch"; });
    epoch_ = reading.epoch;
    return reading;
  }

  /// "   1 | time: 47.62s | valid loss  5.67 | ...".
  std::optional<Reading> end(Scanner& scanner) {
    Reading reading{.epoch = epoch_of(scanner), .ends_epoch = true, .evidence = 1};
    if (!reading.epoch || !scanner.skip(" |")) {
      return std::nullopt;
    }
    for (auto& value : values_between_bars(scanner.rest())) {
      if (value.name == "time:") {
        reading.duration_s = value.value;
      } else {
        reading.metrics.push_back(std::move(value));
      }
    }
    return reading;
  }

  /// "lr 20.00 | ms/batch 15.59 | valid loss  7.63": the last word of each part is its number.
  static std::vector<NamedValue> values_between_bars(std::string_view text) {
    std::vector<NamedValue> values;
    for (const auto& part : split(text, '|')) {
      const auto word = trim(part);
      const auto blank = word.find_last_of(' ');
      if (blank == std::string_view::npos) {
        continue;
      }
      auto number = word.substr(blank + 1);
      number = number.ends_with('s') ? number.substr(0, number.size() - 1) : number;
      if (const auto value = parse_double(number)) {
        std::string name(trim(word.substr(0, blank)));
        std::ranges::replace(name, ' ', '_');
        values.push_back({std::move(name), *value});
      }
    }
    return values;
  }

  EpochCount count_;
  std::optional<std::int64_t> epoch_;
};

}  // namespace

FormatSpec pytorch_examples() {
  return {.summary = "pytorch/examples and their copies: 'Train Epoch: 1 [640/60000 (1%)]'",
          .hints = {marks.begin(), marks.end()},
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
