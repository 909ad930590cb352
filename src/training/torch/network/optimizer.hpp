// The interface between an update rule and the networks, and the registry of update rules
// (src/training/torch/optimizers/, one file each). All state is in tensors, so a checkpoint is a
// list of names and tensors.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/config/option_spec.hpp"
#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/procedure.hpp"

namespace epochcast::libtorch {

/// What an optimizer is created with.
struct OptimizerContext {
  run::OptionValues options;  ///< Complete and checked.
  Procedure procedure = Procedure::optimized;
  NamedTensors parameters;  ///< On their device.
};

class Optimizer {
 public:
  /// The options must contain `learning_rate`, which every optimizer declares.
  explicit Optimizer(const OptimizerContext& context);
  virtual ~Optimizer() = default;

  /// Drops the gradients.
  void zero_grad();

  /// Performs one update from the gradients of the parameters. Every parameter must have a
  /// gradient.
  void step();

  /// Sets the learning rate to `factor` times the learning rate in the options. Schedules and
  /// warm-up use this.
  void scale_learning_rate(double factor);

  /// The name of its class in torch.optim, by which profiles name its steps; empty: none.
  void set_class_name(std::string_view name);

  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

  /// The gradients of the parameters, in the same order. Every parameter must have a gradient.
  std::vector<torch::Tensor> gradients() const;

  /// The tensors that the next steps depend on in addition to the parameters. Each name starts with
  /// `prefix`.
  virtual NamedTensors state(const std::string& prefix) const = 0;

 protected:
  virtual void update(const std::vector<torch::Tensor>& gradients) = 0;

  double learning_rate() const { return factor_ * learning_rate_; }
  /// The same as a scalar on the GPU in the optimized procedure, undefined otherwise: a captured
  /// step reads it at each replay, where it would repeat a number of the host.
  const torch::Tensor& learning_rate_on_gpu() const { return on_gpu_; }
  /// Adds -learning_rate times `directions` to the parameters.
  void descend(const std::vector<torch::Tensor>& directions);
  std::vector<torch::Tensor> zeros_like_parameters() const;
  std::vector<torch::Tensor> parameters_;

 private:
  double learning_rate_;
  double factor_ = 1;
  torch::Tensor on_gpu_;
  std::string step_name_;
  std::string zero_grad_name_;
};

struct OptimizerSpec {
  std::string summary;
  std::string class_name;                ///< In torch.optim or the published code: "AdamW".
  std::vector<run::OptionSpec> options;  ///< Includes `learning_rate`.
  std::function<std::unique_ptr<Optimizer>(const OptimizerContext&)> make;
};

namespace optimizers {
const std::map<std::string, OptimizerSpec>& all();
}

/// An optimizer of the registry with its options, complete and checked. An empty name, for networks
/// that are used only for inference, selects an optimizer that changes nothing and has no state.
struct OptimizerChoice {
  std::string name;
  run::OptionValues options;
};

std::unique_ptr<Optimizer> make_optimizer(const OptimizerChoice& choice, Procedure procedure,
                                          NamedTensors parameters);

/// Appends `tensors` to `all` with the names `prefix` + "0", `prefix` + "1" and so on; `prefix`
/// ends with "momentum.", for example.
void append_numbered(NamedTensors& all, const std::string& prefix,
                     const std::vector<torch::Tensor>& tensors);

}  // namespace epochcast::libtorch
