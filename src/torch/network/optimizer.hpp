// An update rule as networks see it, and the registry of them (src/torch/optimizers/, one file
// each). All state is in tensors, so that a checkpoint is a list of names and tensors.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/run/option_spec.hpp"
#include "src/torch/base/named_tensors.hpp"
#include "src/torch/base/procedure.hpp"

namespace epochcast::libtorch {

/// What an optimizer is made with.
struct OptimizerContext {
  run::OptionValues options;  ///< Complete and checked.
  Procedure procedure = Procedure::optimized;
  NamedTensors parameters;  ///< On their device.
};

class Optimizer {
 public:
  /// The options must have a `learning_rate`, as every optimizer declares.
  explicit Optimizer(const OptimizerContext& context);
  virtual ~Optimizer() = default;

  /// Drops the gradients.
  void zero_grad();

  /// One update from the parameters' gradients; each must have one.
  void step();

  /// From now on the learning rate is `factor` times that of the options: how schedules and warm-up
  /// set it.
  void scale_learning_rate(double factor) { factor_ = factor; }

  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

  /// Of the parameters, in their order; each must have one.
  std::vector<torch::Tensor> gradients() const;

  /// What the next steps depend on besides the parameters, each name behind `prefix`.
  virtual NamedTensors state(const std::string& prefix) const = 0;

 protected:
  virtual void update(const std::vector<torch::Tensor>& gradients) = 0;

  double learning_rate() const { return factor_ * learning_rate_; }
  std::vector<torch::Tensor> zeros_like_parameters() const;
  std::vector<torch::Tensor> parameters_;

 private:
  double learning_rate_;
  double factor_ = 1;
};

struct OptimizerSpec {
  std::string summary;
  std::vector<run::OptionSpec> options;  ///< `learning_rate` among them.
  std::function<std::unique_ptr<Optimizer>(const OptimizerContext&)> make;
};

namespace optimizers {
const std::map<std::string, OptimizerSpec>& all();
}

/// An optimizer of the registry with its options, complete and checked; without a name, for
/// networks that only answer, one that changes and holds nothing.
struct OptimizerChoice {
  std::string name;
  run::OptionValues options;
};

std::unique_ptr<Optimizer> make_optimizer(const OptimizerChoice& choice, Procedure procedure,
                                          NamedTensors parameters);

/// `prefix` + "momentum.0" and so on.
void append_numbered(NamedTensors& all, const std::string& prefix,
                     const std::vector<torch::Tensor>& tensors);

}  // namespace epochcast::libtorch
