// The interface between a data set and the workload, and the registry of data sets
// (src/training/torch/datasets/, one file each).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/config/option_spec.hpp"
#include "src/training/image/preprocessing.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// The samples that a model needs.
struct SampleSpec {
  std::vector<std::int64_t> shape;     ///< {3, 64, 64}; for tokens: {maximum length}.
  std::int64_t vocabulary = 0;         ///< Samples are token ids below this; 0: real numbers.
  std::int64_t longest = 0;            ///< Tokens that `shape` may allow; 0: not of tokens.
  std::int64_t classes = 0;            ///< Labels are 0 to below this; 0: labels are not used.
  std::string tokenizer = {};          ///< The name of a file in src/training/text/tokenizers.
  image::Preprocessing pictures = {};  ///< How images are preprocessed.
};

/// Samples. inputs: (N, ...) float32, or token ids (N, length) int64. labels: (N) int64 or
/// undefined. mask: (N, length) bool, false for the padding after a shorter sample; undefined
/// without padding. noise: from Network::draw_noise(); no data set has it.
struct Samples {
  torch::Tensor inputs;
  torch::Tensor labels;
  torch::Tensor mask;
  torch::Tensor noise = {};
  std::vector<std::int64_t> unreadable =
      {};  ///< Rows of unreadable samples, ascending; their inputs are zeros.
};

/// `count` samples of zeros with label 0, for counting and warm-up.
Samples blank_samples(const SampleSpec& spec, std::int64_t count);

/// Delivers batches in the requested order. If reading takes time, threads of the data set
/// prefetch.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;

  /// A permutation of `order` that wastes less computation in batches of `batch` samples;
  /// deterministic.
  virtual std::vector<std::int64_t> arranged(std::vector<std::int64_t> order,
                                             std::int64_t /*batch*/) const {
    return order;
  }

  /// Starts a pass over the samples with the indices `order`, in batches of `batch` samples (the
  /// last may be smaller). An unfinished pass is dropped.
  virtual void start(std::vector<std::int64_t> order, std::int64_t batch) = 0;

  /// Waits for the next batch and returns it. `inputs` is undefined at the end of the pass.
  virtual Samples next() = 0;

  /// Samples for scores, never used for training; nullptr if there are none. They live as long as
  /// this data set.
  virtual Dataset* held_out() { return nullptr; }

  /// Where a sample comes from: its file, or "line 17" of the data set's file; "" if it is
  /// generated.
  virtual std::string origin(std::int64_t /*index*/) const { return ""; }

  /// Notes for the record: which files were skipped and why, and whether all samples fit into the
  /// cache.
  virtual std::vector<std::string> notes() const { return {}; }
};

/// What a data set is opened with.
struct DatasetContext {
  run::OptionValues options;  ///< Complete and checked.
  SampleSpec input;           ///< What the model needs.
  std::string weights = {};   ///< Initial weights: RunConfig::weights.
  /// false: inference. Then only the held-out samples are used, if there are any, labels may be
  /// missing, and a sample that cannot be read keeps its position (Samples::unreadable).
  bool trains = true;
  std::int64_t threads = 1;  ///< CPUs of the allocation.
  std::int64_t seed = 1;
  bool refuse_bad_files = false;  ///< false: skips and reports them.
  /// Nothing is decoded ahead of the first epoch that the published programs decoded in each.
  bool as_published = false;
};

struct DatasetSpec {
  std::string summary;
  std::vector<run::OptionSpec> options;
  bool shuffled = true;  ///< false: every epoch uses the original order of the samples.
  std::vector<std::string> labels = {};  ///< Names of the classes, if they are always the same.
  std::function<std::unique_ptr<Dataset>(const DatasetContext&)> open;
};

/// Throws Error if the model needs tokens, or samples of a shape other than `shape`, the shape of
/// `dataset`.
void check_shape(const DatasetContext& context, std::string_view dataset,
                 const std::vector<std::int64_t>& shape);

/// The notes of a data set with held-out samples: `own`, then the notes of `held_out` with a
/// prefix, if `held_out` is not nullptr.
std::vector<std::string> notes_of_both(std::vector<std::string> own, const Dataset* held_out);

/// Throws Error if `dataset` has more classes than the model distinguishes.
void check_classes(const DatasetContext& context, std::string_view dataset, std::int64_t classes);

/// A note for the record if the model distinguishes more classes than `dataset` has. All classes of
/// the model are still trained, because the weights of its published head must fit.
std::vector<std::string> class_notes(const DatasetContext& context, std::string_view dataset,
                                     std::int64_t classes);

namespace datasets {
const std::map<std::string, DatasetSpec>& all();
}

}  // namespace epochcast::libtorch
