// A network whose answer to a text or picture is known: its checksum decides the class.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/utf8.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::stream {

constexpr std::size_t known_classes = 10;

inline std::int64_t known_class(std::string_view bytes) {
  return static_cast<std::int64_t>(crc32_of(bytes) % known_classes);
}

class KnownPredictor final : public serve::Predictor {
 public:
  explicit KnownPredictor(serve::Kind kind, double pass_s = 0) : kind_(kind), pass_s_(pass_s) {
    for (std::size_t i = 0; i < known_classes; ++i) {
      labels_.push_back("class " + std::to_string(i));
    }
  }

  serve::Kind kind() const override { return kind_; }
  const std::vector<std::string>& labels() const override { return labels_; }

  std::unique_ptr<serve::Input> prepare(std::string_view bytes) const override {
    if (bytes == "bad") {
      throw Error("found 'bad'");
    }
    return std::make_unique<Bytes>(std::string(bytes));
  }

  std::vector<serve::Scores> predict(std::span<const serve::Input* const> inputs) override {
    passes.push_back(inputs.size());
    std::this_thread::sleep_for(std::chrono::duration<double>(pass_s_));
    std::vector<serve::Scores> scores;
    for (const auto* input : inputs) {
      serve::Scores one(known_classes, 0.01F);
      one[static_cast<std::size_t>(known_class(static_cast<const Bytes&>(*input).text))] = 0.91F;
      scores.push_back(one);
    }
    return scores;
  }

  std::vector<std::size_t> passes;  ///< The number of inputs of each.

 private:
  struct Bytes final : serve::Input {
    explicit Bytes(std::string its_text) : text(std::move(its_text)) {}
    std::int64_t length() const override { return std::ssize(text); }
    std::string text;
  };

  serve::Kind kind_;
  double pass_s_;
  std::vector<std::string> labels_;
};

}  // namespace epochcast::stream
