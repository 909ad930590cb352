// A data set as the workload sees it, and the registry of data sets (src/torch/datasets/, one file each).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/run/option_spec.hpp"
#include "src/torch/torch.hpp"

namespace epochcast {

/// Samples: inputs (N, ...) float32, labels (N) int64 or undefined.
struct Samples {
  torch::Tensor inputs;
  torch::Tensor labels;
};

/// Delivers batches in the order it is told, read ahead by threads of its own where reading costs time.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;

  /// Begins a pass: `order` holds the indices of all samples of the pass, `batch` the samples in a batch (the
  /// last may be smaller). An unfinished pass is dropped.
  virtual void start(std::vector<std::int64_t> order, std::int64_t batch) = 0;

  /// The next batch; waits for it. `inputs` is undefined at the end of the pass.
  virtual Samples next() = 0;

  /// Samples that are never trained on, for scores; nullptr where there are none. Lives as long as this.
  virtual Dataset* held_out() { return nullptr; }

  /// Remarks for the record: files skipped and why, whether all fits the cache.
  virtual std::vector<std::string> notes() const { return {}; }
};

/// What a data set is opened with.
struct DatasetContext {
  OptionValues options;             ///< Complete and checked.
  std::vector<std::int64_t> input;  ///< Shape of one sample that the model wants: {3, 64, 64}.
  std::int64_t classes = 0;         ///< How many the model tells apart: labels must be below; 0: it does not look.
  std::int64_t threads = 1;         ///< CPUs of the allocation.
  std::int64_t seed = 1;
  bool refuse_bad_files = false;    ///< Else they are skipped and named.
};

struct DatasetSpec {
  std::string summary;
  std::vector<OptionSpec> options;
  bool shuffled = true;  ///< Else every epoch has the samples in their own order.
  std::function<std::unique_ptr<Dataset>(const DatasetContext&)> open;
};

/// Throws Error where the model wants samples of another shape than `dataset` has.
void check_shape(const DatasetContext& context, std::string_view dataset, const std::vector<std::int64_t>& shape);

/// Throws Error where `dataset` has more classes than the model tells apart.
void check_classes(const DatasetContext& context, std::string_view dataset, std::int64_t classes);

namespace datasets {
const std::map<std::string, DatasetSpec>& all();
}

}  // namespace epochcast
