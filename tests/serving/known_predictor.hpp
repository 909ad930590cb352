// A network of known cost, for tests: a micro-batch of b inputs takes a + c*b seconds, in which it
// sleeps, and every text has its own fixed answer.
#pragma once

#include <chrono>
#include <thread>

#include "src/base/core/text.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::serve {

class KnownPredictor : public Predictor {
 public:
  KnownPredictor(double batch_s, double input_s) : batch_s_(batch_s), input_s_(input_s) {}

  /// The answer to `text`: both scores are multiples of 1/1000.
  static Scores answer_to(std::string_view text) {
    const auto positive = static_cast<float>(fnv1a(text) % 1001) / 1000;
    return {1 - positive, positive};
  }

  Kind kind() const override { return Kind::text; }
  const std::vector<std::string>& labels() const override { return labels_; }
  std::unique_ptr<Input> prepare(std::string_view bytes) const override {
    return std::make_unique<Text>(bytes);
  }
  std::vector<Scores> predict(std::span<const Input* const> inputs) override {
    const double seconds = batch_s_ + input_s_ * static_cast<double>(inputs.size());
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    std::vector<Scores> answers;
    for (const Input* input : inputs) {
      answers.push_back(answer_to(dynamic_cast<const Text&>(*input).text));
    }
    return answers;
  }

 private:
  struct Text : Input {
    explicit Text(std::string_view bytes) : text(bytes) {}
    /// Words, as a tokenizer would count them roughly.
    std::int64_t length() const override {
      return 1 + static_cast<std::int64_t>(std::count(text.begin(), text.end(), ' '));
    }
    std::string text;
  };

  const double batch_s_;
  const double input_s_;
  const std::vector<std::string> labels_{"NEGATIVE", "POSITIVE"};
};

}  // namespace epochcast::serve
