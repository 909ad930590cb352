// PyTorch Ignite's engines. Those that run within the trainer's are evaluations:
//   Engine run starting with max_epochs=4.
//   Epoch[1] Complete. Time taken: 00:00:10.123
//   Engine run complete. Time taken: 00:00:40.500  (0.5: Engine run finished.)
// and, as its examples print, "Epoch[1] Iteration[10/100] Loss: 0.5".
#include <algorithm>
#include <utility>
#include <vector>

#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    const auto text = line.text;
    at_s_ = line.at_s;
    if (const auto at = text.find("Engine run resuming from iteration "); at < 64) {
      return resume(text.substr(at));
    }
    if (const auto at = text.find("Engine run starting with max_epochs="); at < 64) {
      Scanner scanner(text.substr(at + 36));
      return start(whole(scanner));
    }
    if (text.find("Engine run complete") < 64 || text.find("Engine run finished") < 64) {
      return stop();
    }
    if (const auto at = text.find("Epoch["); at < 64) {
      Scanner scanner(text.substr(at + 6));
      const auto epoch = whole(scanner);
      return epoch && *epoch >= 1 && scanner.skip("] ") ? of_epoch(*epoch - 1, scanner)
                                                        : std::nullopt;
    }
    return std::nullopt;
  }

  std::vector<TimedReading> waiting() override { return std::exchange(waiting_, {}); }

 private:
  /// "Engine run resuming from iteration 770, epoch 22 until 27 epochs"
  std::optional<Reading> resume(std::string_view text) {
    const auto epoch = text.find(", epoch ");
    const auto until = text.find(" until ");
    if (epoch == std::string_view::npos || until == std::string_view::npos || until < epoch) {
      return std::nullopt;
    }
    Scanner done(text.substr(epoch + 8));
    Scanner total(text.substr(until + 7));
    epochs_ = whole(total);
    ++depth_;
    return Reading{.epoch = whole(done), .epochs = epochs_, .begins_epoch = true, .evidence = 0.5};
  }

  /// The epoch after one that is complete begins at once; that is told with its first line.
  void begin_next() {
    if (next_) {
      waiting_.push_back({{.epoch = next_, .epochs = epochs_, .begins_epoch = true}, ended_at_s_});
      next_.reset();
    }
  }

  std::optional<Reading> start(std::optional<std::int64_t> epochs) {
    const bool evaluates = ++depth_ > 1 || (epochs_ > 1 && epochs == 1);
    if (evaluates) {
      begin_next();
      evaluates_after_ = depth_ == 1;
      return Reading{.phase = Phase::evaluate, .step = 0, .steps = 1};
    }
    epochs_ = epochs;
    return Reading{.epoch = 0, .epochs = epochs_, .begins_epoch = true, .evidence = 0.5};
  }

  std::optional<Reading> stop() {
    depth_ = std::max(0, depth_ - 1);
    if (depth_ == 0 && !std::exchange(evaluates_after_, false)) {
      next_.reset();
      return std::nullopt;
    }
    return Reading{.phase = Phase::evaluate, .step = 1, .steps = 1};
  }

  std::optional<Reading> of_epoch(std::int64_t epoch, Scanner& scanner) {
    Reading reading{.epoch = epoch, .epochs = epochs_};
    if (scanner.skip("Complete. Time taken: ")) {
      if (depth_ > 1 || evaluates_after_) {
        return std::nullopt;
      }
      reading.duration_s = clock_time_s(scanner.word());
      reading.ends_epoch = true;
      reading.evidence = 0.5;
      next_ = epoch + 1;
      ended_at_s_ = at_s_;
      return reading;
    }
    if (depth_ > 1 || evaluates_after_ || !scanner.skip("Iteration[")) {
      return std::nullopt;
    }
    begin_next();
    const auto steps = fraction(scanner);
    if (!steps || !scanner.skip("]")) {
      return std::nullopt;
    }
    reading.step = steps->number;
    reading.steps = steps->total;
    reading.metrics = named_values(scanner.rest(), false);
    reading.evidence = 0.34;
    return reading;
  }

  std::vector<TimedReading> waiting_;
  std::optional<std::int64_t> next_;  ///< The epoch that begins after one that is complete.
  double ended_at_s_ = 0;
  double at_s_ = 0;
  bool evaluates_after_ = false;  ///< An evaluator runs after the trainer.
  int depth_ = 0;                 ///< Engines that run within each other.
  std::optional<std::int64_t> epochs_;
};

}  // namespace

FormatSpec ignite() {
  return {.summary = "Ignite's engines: 'Epoch[1] Complete. Time taken: 00:00:10.123'",
          .hints = {"Engine run ", "Epoch["},
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
