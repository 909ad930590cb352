// The two implementations of serve::Predictor: a network for texts and one for pictures.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/training/loop/predictor.hpp"
#include "src/training/text/tokenizer.hpp"
#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

/// A network with what its answers mean, in the form in which it only infers.
struct AnsweringNetwork {
  SampleSpec input;
  std::vector<std::string> labels;  ///< One for each class.
  torch::Device device = torch::kCPU;
  Procedure procedure = Procedure::optimized;
  std::unique_ptr<Network> network;
};

class NetworkPredictor : public serve::Predictor {
 public:
  explicit NetworkPredictor(AnsweringNetwork answering) : answering_(std::move(answering)) {}

  const std::vector<std::string>& labels() const override { return answering_.labels; }

  /// Inputs of very different length, and more than fit into one forward pass of bounded memory,
  /// are computed in parts. Also throws RunError if the network's output is not finite.
  std::vector<serve::Scores> predict(std::span<const serve::Input* const> inputs) override;

 protected:
  const AnsweringNetwork& answering() const { return answering_; }

 private:
  using Part = std::vector<std::int64_t>;

  /// Which inputs go through the network together: indices of `inputs`.
  virtual std::vector<Part> parts_of(std::span<const serve::Input* const> inputs) const = 0;
  virtual Samples samples_of(std::span<const serve::Input* const> inputs,
                             const Part& part) const = 0;
  /// The probabilities of the classes, (N, classes), on the host.
  torch::Tensor probabilities(Samples samples) const;

  AnsweringNetwork answering_;
};

/// Reads texts of any bytes with `tokenizer`, as the data sets do.
std::unique_ptr<NetworkPredictor> make_text_predictor(AnsweringNetwork answering,
                                                      std::unique_ptr<text::Tokenizer> tokenizer);

/// Reads PNG and JPEG files of up to 40 million pixels.
std::unique_ptr<NetworkPredictor> make_picture_predictor(AnsweringNetwork answering);

}  // namespace epochcast::libtorch
