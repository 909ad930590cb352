// Modules and parameters under names with dots, as state dicts have them: "attention.self.query".
// So a network's code needs no class for every level of the reference's names.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// The module at `path` below `root`; missing modules on the path are created, empty.
inline torch::nn::Module& module_at(torch::nn::Module& root, const std::string& path) {
  const auto dot = path.find('.');
  const auto name = path.substr(0, dot);
  const auto children = root.named_children();
  const auto* found = children.find(name);
  auto& child = found != nullptr
                    ? **found
                    : *root.register_module(name, std::make_shared<torch::nn::Module>());
  return dot == std::string::npos ? child : module_at(child, path.substr(dot + 1));
}

/// The module that holds the last name of `path`, and that name.
inline std::pair<torch::nn::Module&, std::string> holder_of(torch::nn::Module& root,
                                                            const std::string& path) {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? std::pair<torch::nn::Module&, std::string>(root, path)
                                  : std::pair<torch::nn::Module&, std::string>(
                                        module_at(root, path.substr(0, dot)), path.substr(dot + 1));
}

/// Registers `module` at `path` below `root`, and returns it.
template <class Holder>
Holder register_module_at(torch::nn::Module& root, const std::string& path, Holder module) {
  auto [holder, name] = holder_of(root, path);
  holder.register_module(name, module);
  return module;
}

/// Registers a parameter of the values `initial` at `path` below `root`, and returns it.
inline torch::Tensor register_parameter_at(torch::nn::Module& root, const std::string& path,
                                           torch::Tensor initial) {
  auto [holder, name] = holder_of(root, path);
  return holder.register_parameter(name, std::move(initial));
}

/// Draws the weights of all linear layers, convolutions and embeddings from normal(0, 0.02), their
/// biases become 0 and an embedding's row of padding too; norms stay at 1 and 0. As transformers
/// initializes every model of src/training/torch/families.
void draw_weights(torch::nn::Module& net);

/// The standard deviation of that.
constexpr double weight_deviation = 0.02;

}  // namespace epochcast::libtorch
