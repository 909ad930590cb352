// Any table of texts and labels, CSV (RFC 4180: quoted cells may contain line breaks) or TSV,
// divided into a training part and a held-out part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/base/random.hpp"
#include "src/training/torch/data/text_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

/// The labels in the option `positive`: "0,1".
std::vector<std::int64_t> positive_labels(const run::OptionValues& options) {
  std::vector<std::int64_t> labels;
  for (const auto& word : split(options.at("positive"), ',')) {
    const auto label = parse_integer(trim(word));
    if (!label || *label < 0) {
      throw Error(fmt::format(
          "dataset.positive: found '{}', expected whole numbers from 0 separated by ','",
          options.at("positive")));
    }
    labels.push_back(*label);
  }
  return labels;
}

text::TextSamples samples_at(const text::TextSamples& all, std::span<const std::int64_t> order) {
  text::TextSamples some;
  for (const auto index : order) {
    some.texts.push_back(all.texts[std::size_t(index)]);
    some.lines.push_back(all.lines[std::size_t(index)]);
    if (!all.labels.empty()) {
      some.labels.push_back(all.labels[std::size_t(index)]);
    }
  }
  return some;
}

/// Draws both parts at random, because the rows in the file may be sorted.
TextParts divided(const text::TextSamples& all, const run::OptionValues& options) {
  auto order =
      shuffled_order(std::ssize(all.texts), option<std::int64_t>(options, "seed"), /*epoch=*/0);
  if (const auto limit = option<std::int64_t>(options, "limit"); limit > 0) {
    order.resize(std::min(order.size(), std::size_t(limit)));
  }
  const std::span<const std::int64_t> rows(order);
  const auto kept =
      std::size_t(std::llround(double(rows.size()) * option<double>(options, "held_out")));
  return {.train = samples_at(all, rows.subspan(kept)),
          .held_out = samples_at(all, rows.first(kept))};
}

std::unique_ptr<Dataset> open_text_csv(const DatasetContext& context) {
  const auto& options = context.options;
  const auto path = data_path(context, "path", "a CSV file");
  auto samples = read_samples(
      context, path, {.text = options.at("text"), .label = options.at("label"), .glue = false});
  if (const auto positive = positive_labels(options); !positive.empty()) {
    samples.labels = text::two_classes(samples.labels, positive);
    if (std::ranges::find(samples.labels, 1) == samples.labels.end()) {
      throw Error(fmt::format("dataset.positive: found '{}', expected labels that rows of {} have",
                              options.at("positive"), path));
    }
  }
  auto parts = divided(samples, options);
  if (parts.train.texts.empty() && context.trains) {
    throw Error(fmt::format("dataset.held_out: found {}, which leaves nothing of {} to train on",
                            options.at("held_out"), path));
  }
  const bool trains = context.trains || parts.held_out.texts.empty();
  (trains ? parts.train : parts.held_out).notes = samples.notes;
  return open_texts(context, "text_csv", parts);
}

}  // namespace

DatasetSpec text_csv() {
  return {.summary =
              "Texts and labels from a CSV file; a fraction is held out; tokens of the model's "
              "vocabulary",
          .options = text_dataset_options(
              {{"path", "text", "", "1",
                "The file, whose first line names its columns (share:texts/reviews.csv: a handful "
                "of sentences made up for trying)",
                "path"},
               {"text", "text", "text", "1", "Column of the texts"},
               {"label", "text", "label", "1", "Column of the labels, whole numbers from 0"},
               {"positive", "text", "", "1",
                "Labels that make class 1 while all others make class 0, as 0,1 (empty: labels "
                "are the classes)"},
               {"held_out", "number", "0.3", "1", "Part of the rows that is held out", "0..1"},
               {"seed", "integer", "0", "1", "Seed of the division (not of the training)"}}),
          .open = open_text_csv};
}

}  // namespace epochcast::libtorch::datasets
