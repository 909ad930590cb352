#include "src/training/torch/run/step_graphs.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace epochcast::libtorch {
namespace {

/// PyTorch's guide to CUDA graphs warms up with three.
constexpr int steps_before_capture = 3;
/// Texts have batches of many lengths, and a graph takes memory.
constexpr std::int64_t most_graphs = 16;

std::array<torch::Tensor Samples::*, 4> tensors() {
  return {&Samples::inputs, &Samples::labels, &Samples::mask, &Samples::noise};
}

std::vector<std::int64_t> shape_of(const Samples& batch) {
  std::vector<std::int64_t> shape;
  for (const auto tensor : tensors()) {
    const auto sizes = (batch.*tensor).defined() ? (batch.*tensor).sizes() : at::IntArrayRef();
    shape.push_back(std::ssize(sizes));
    shape.insert(shape.end(), sizes.begin(), sizes.end());
  }
  return shape;
}

template <class Action>
void for_each_defined(const Samples& batch, const Action& action) {
  for (const auto tensor : tensors()) {
    if ((batch.*tensor).defined()) {
      action(tensor);
    }
  }
}

void copy(const Samples& from, Samples& to) {
  for_each_defined(from,
                   [&](auto tensor) { (to.*tensor).copy_(from.*tensor, /*non_blocking=*/true); });
}

}  // namespace

StepGraphs::StepGraphs(bool used) : used_(used) {
  if (used_) {
    cuda_library().use_own_stream();
  }
}

torch::Tensor StepGraphs::run(const Samples& batch, const Step& step) {
  ++steps_;
  if (!used_ || !failure_.empty()) {
    return step(batch);
  }
  auto& shape = shapes_[shape_of(batch)];
  shape.repeats = shape.repeats || std::exchange(shape.epoch, epoch_) == epoch_;
  const bool is_rare = shapes_.size() > 1 && !shape.repeats;
  if (!shape.graph &&
      (++shape.steps <= steps_before_capture || is_rare || graphs_ == most_graphs)) {
    return step(batch);
  }
  if (!shape.graph) {
    capture(shape, batch, step);
  }
  if (!failure_.empty()) {
    return step(batch);
  }
  copy(batch, shape.batch);
  shape.graph->replay();
  ++replays_;
  return shape.output;
}

void StepGraphs::capture(OfShape& shape, const Samples& batch, const Step& step) {
  for_each_defined(batch,
                   [&](auto tensor) { shape.batch.*tensor = torch::empty_like(batch.*tensor); });
  copy(batch, shape.batch);
  shape.graph = cuda_library().make_graph(first_);
  try {
    shape.graph->capture([&] { shape.output = step(shape.batch); });
    ++graphs_;
    first_ = first_ == nullptr ? shape.graph.get() : first_;
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    failure_ = text.substr(0, text.find('\n'));
    shapes_.clear();
  }
}

std::string StepGraphs::note() const {
  if (!used_ || steps_ == 0) {
    return "";
  }
  if (!failure_.empty()) {
    return fmt::format("no CUDA graph after {} of {} steps: {}", replays_, steps_, failure_);
  }
  return fmt::format("{} of {} steps were replays of {} CUDA graph{}", replays_, steps_, graphs_,
                     graphs_ == 1 ? "" : "s");
}

}  // namespace epochcast::libtorch
