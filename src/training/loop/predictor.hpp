// What a service asks of a network. No LibTorch type appears here: src/training/torch implements
// it, and the tests of the service and of the stream use one of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::serve {

/// The kind of things that a network classifies.
enum class Kind { text, picture };

/// A text or a picture in the form in which the network takes it.
class Input {
 public:
  virtual ~Input() = default;

  /// What its cost depends on, in the network's own unit: tokens of a text, 1 for a picture. Inputs
  /// of one micro-batch should be of similar length.
  virtual std::int64_t length() const = 0;
};

/// The probability of each class, in the order of Predictor::labels().
using Scores = std::vector<float>;

class Predictor {
 public:
  virtual ~Predictor() = default;

  virtual Kind kind() const = 0;

  /// The names of the classes.
  virtual const std::vector<std::string>& labels() const = 0;

  /// Tokenizes a text, or decodes and resizes a picture (the bytes of a PNG or JPEG file). May be
  /// called from several threads at once. Throws Error if `bytes` are not such a text or picture:
  /// the fault of who sent them.
  virtual std::unique_ptr<Input> prepare(std::string_view bytes) const = 0;

  /// One forward pass; one answer for each input, in their order. Called from one thread at a time.
  /// Throws RunError if the device fails.
  virtual std::vector<Scores> predict(std::span<const Input* const> inputs) = 0;
};

}  // namespace epochcast::serve
