// SST-2 (Socher et al., 2013), sentences of film reviews, as distributed by GLUE: train.tsv with
// the columns sentence and label (0 negative, 1 positive), dev.tsv in the same format, and test.tsv
// (columns index and sentence), whose labels GLUE does not publish.
#include <algorithm>

#include "src/training/torch/base/options.hpp"
#include "src/training/torch/data/text_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

/// The first `limit` rows (0: all). The rows are not sorted by class.
text::TextSamples read_sst2(const DatasetContext& context, const std::string& file) {
  auto samples = read_samples(
      context,
      data_path(context, "path", "the folder of GLUE's train.tsv and dev.tsv") + "/" + file);
  const auto limit = std::size_t(option<std::int64_t>(context.options, "limit"));
  if (limit > 0 && limit < samples.texts.size()) {
    samples.texts.resize(limit);
    samples.lines.resize(limit);
    samples.labels.resize(std::min(limit, samples.labels.size()));
  }
  return samples;
}

std::unique_ptr<Dataset> open_sst2(const DatasetContext& context) {
  TextParts parts{.held_out = read_sst2(context, context.options.at("held_out"))};
  if (context.trains) {
    parts.train = read_sst2(context, "train.tsv");
  }
  return open_texts(context, "sst2", parts);
}

}  // namespace

DatasetSpec sst2() {
  return {.summary =
              "SST-2: sentences of film reviews, negative or positive, dev.tsv held out; "
              "tokens of the model's vocabulary",
          .options = text_dataset_options(
              {{"path", "text", "", "1",
                "Folder of train.tsv and dev.tsv as GLUE has them (share:texts: a handful of "
                "sentences made up for trying)",
                "path"},
               {"held_out", "text", "dev.tsv", "1",
                "File of the held-out sentences; one without labels can be answered only"}}),
          .labels = {"NEGATIVE", "POSITIVE"},
          .open = open_sst2};
}

}  // namespace epochcast::libtorch::datasets
