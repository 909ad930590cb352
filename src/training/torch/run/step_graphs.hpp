// Whole steps as CUDA graphs: the host launches one graph instead of hundreds of kernels,
// which is what bounds small steps on a fast GPU.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/record/run/run_config.hpp"
#include "src/training/torch/base/cuda_library.hpp"
#include "src/training/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// The first steps on batches of one shape run as they are: LibTorch and cuDNN make what they keep.
/// The next one is captured and replayed, and so are all later ones of that shape; but not those of
/// a shape that comes once an epoch, since a capture costs more than its replays save. If a capture
/// fails, all steps run as they are from then on.
class StepGraphs {
 public:
  /// Returns what the step gives, undefined if nothing.
  using Step = std::function<torch::Tensor(const Samples& batch)>;

  /// `used`: false runs every step as it is. Otherwise steps of this thread, from now on, are in a
  /// stream of their own.
  explicit StepGraphs(bool used);
  /// Whether they are of use in a run of one process, unless `excluded`.
  static bool are_for(const run::RunConfig& config, bool excluded) {
    return config.cuda_graphs && config.device == "cuda" && config.procedure == "optimized" &&
           config.profile == 0 && !excluded;
  }

  void start_epoch() { ++epoch_; }

  /// Runs `step` on `batch` and returns what it gives, valid until the next step. The step must
  /// depend on `batch` and on tensors that live as long as this; it must neither wait for the
  /// device nor take numbers of the host that change.
  torch::Tensor run(const Samples& batch, const Step& step);

  /// For the record: how many steps were replayed, or why none; empty if not used.
  std::string note() const;

 private:
  struct OfShape {
    int steps = 0;
    std::int64_t epoch = -1;  ///< Of the last step.
    bool repeats = false;     ///< Within an epoch.
    Samples batch;            ///< What the graph reads.
    torch::Tensor output;     ///< What it writes.
    std::unique_ptr<StepGraph> graph;
  };

  void capture(OfShape& shape, const Samples& batch, const Step& step);

  bool used_;
  std::map<std::vector<std::int64_t>, OfShape> shapes_;
  const StepGraph* first_ = nullptr;  ///< With which all others share memory.
  std::int64_t epoch_ = 0;
  std::int64_t graphs_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t replays_ = 0;
  std::string failure_;
};

}  // namespace epochcast::libtorch
