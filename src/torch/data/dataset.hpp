// A data set as the workload sees it, and the registry of data sets (src/torch/datasets/, one file
// each).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/image/preprocessing.hpp"
#include "src/run/option_spec.hpp"
#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// One sample as a model wants it.
struct SampleSpec {
  std::vector<std::int64_t> shape;  ///< {3, 64, 64}; of tokens: {the most there can be}.
  std::int64_t vocabulary =
      0;  ///< Samples are tokens, whose ids are below this; 0: they are real numbers.
  std::int64_t classes =
      0;  ///< Labels run from 0 to below this; 0: the network does not look at them.
  std::string tokenizer = {};  ///< What makes tokens of a text: a file of src/text/tokenizers.
  image::Preprocessing pictures = {};  ///< What is done to a picture.
};

/// Samples: inputs (N, ...) float32, or token ids (N, length) int64; labels (N) int64 or undefined;
/// mask (N, length) bool, true where a token is none of the padding behind a shorter sample,
/// undefined where all are.
struct Samples {
  torch::Tensor inputs;
  torch::Tensor labels;
  torch::Tensor mask;
  std::vector<std::int64_t> unreadable =
      {};  ///< Rows that are zeros because their sample cannot be read, rising.
};

/// `count` samples of zeros, label 0: what counting and warming up take.
Samples blank_samples(const SampleSpec& spec, std::int64_t count);

/// Delivers batches in the order it is told, read ahead by threads of its own where reading costs
/// time.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;

  /// `order` as this data set would rather be asked for it in batches of `batch`, to waste less: a
  /// permutation of it, the same every time.
  virtual std::vector<std::int64_t> arranged(std::vector<std::int64_t> order,
                                             std::int64_t /*batch*/) const {
    return order;
  }

  /// Begins a pass: `order` holds the indices of all samples of the pass, `batch` the samples in a
  /// batch (the last may be smaller). An unfinished pass is dropped.
  virtual void start(std::vector<std::int64_t> order, std::int64_t batch) = 0;

  /// The next batch; waits for it. `inputs` is undefined at the end of the pass.
  virtual Samples next() = 0;

  /// Samples that are never trained on, for scores; nullptr where there are none. Lives as long as
  /// this.
  virtual Dataset* held_out() { return nullptr; }

  /// Where a sample comes from, for people: its file, or "line 17" of the data set's one; "": it
  /// has no such place.
  virtual std::string origin(std::int64_t /*index*/) const { return ""; }

  /// Remarks for the record: files skipped and why, whether all fits the cache.
  virtual std::vector<std::string> notes() const { return {}; }
};

/// What a data set is opened with.
struct DatasetContext {
  run::OptionValues options;  ///< Complete and checked.
  SampleSpec input;           ///< What the model wants.
  std::string weights = {};   ///< What the model begins with, as RunConfig has it.
  /// Else it only answers: where there are held-out samples no others are asked for, labels may be
  /// missing, and a sample that cannot be read keeps its place (Samples::unreadable).
  bool trains = true;
  std::int64_t threads = 1;  ///< CPUs of the allocation.
  std::int64_t seed = 1;
  bool refuse_bad_files = false;  ///< Else they are skipped and named.
};

struct DatasetSpec {
  std::string summary;
  std::vector<run::OptionSpec> options;
  bool shuffled = true;  ///< Else every epoch has the samples in their own order.
  std::function<std::unique_ptr<Dataset>(const DatasetContext&)> open;
};

/// Throws Error where the model wants tokens, or samples of another shape than `dataset` has.
void check_shape(const DatasetContext& context, std::string_view dataset,
                 const std::vector<std::int64_t>& shape);

/// The notes of a data set that holds some samples out: `own`, then those of `held_out` if there is
/// one, marked so.
std::vector<std::string> notes_of_both(std::vector<std::string> own, const Dataset* held_out);

/// Throws Error where `dataset` has more classes than the model tells apart.
void check_classes(const DatasetContext& context, std::string_view dataset, std::int64_t classes);

namespace datasets {
const std::map<std::string, DatasetSpec>& all();
}

}  // namespace epochcast::libtorch
