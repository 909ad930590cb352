// nanoGPT's train.py and its copies, which count steps of the whole run and no epochs:
//   step 250: train loss 2.4321, val loss 2.4555
//   iter 250: loss 2.4410, time 132.91ms, mfu 17.20%
#include "src/base/core/text.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    Scanner scanner(trim(line.text));
    if (scanner.skip("iter ")) {
      return iteration(scanner);
    }
    return scanner.skip("step ") ? evaluation(scanner) : std::nullopt;
  }

 private:
  static std::optional<Reading> iteration(Scanner& scanner) {
    const auto number = whole(scanner);
    if (!number || !scanner.skip(": loss ") ||
        scanner.rest().find(", time ") == std::string_view::npos) {
      return std::nullopt;
    }
    Reading reading{.epoch = 0, .step = *number + 1, .of_run = true, .evidence = 0.34};
    if (const auto loss = parse_double(scanner.rest().substr(0, scanner.rest().find(',')))) {
      reading.metrics.push_back({"loss", *loss});
    }
    return reading;
  }

  /// Printed after the evaluation, which is whole then. The first comes before any step.
  static std::optional<Reading> evaluation(Scanner& scanner) {
    const auto number = whole(scanner);
    if (!number || *number == 0 || !scanner.skip(": train loss ")) {
      return std::nullopt;
    }
    const auto train = parse_double(scanner.rest().substr(0, scanner.rest().find(',')));
    const auto at = scanner.rest().find("val loss ");
    const auto held_out = at == std::string_view::npos
                              ? std::nullopt
                              : parse_double(trim(scanner.rest().substr(at + 9)));
    if (!train || !held_out) {
      return std::nullopt;
    }
    return Reading{.phase = Phase::evaluate,
                   .epoch = 0,
                   .step = 1,
                   .steps = 1,
                   .metrics = {{"train_loss", *train}, {"val_loss", *held_out}},
                   .evidence = 0.34};
  }
};

}  // namespace

FormatSpec nanogpt() {
  return {.summary = "nanoGPT and its copies: 'iter 250: loss 2.4410, time 132.91ms'",
          .hints = {"iter ", "step "},
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
