#include "src/training/torch/data/text_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/registry.hpp"
#include "src/training/image/worker_pool.hpp"
#include "src/training/torch/base/options.hpp"

namespace epochcast::libtorch {
namespace {

/// How tokens are combined into batches.
struct TokenLayout {
  text::TokenId padding = 0;
  std::int64_t min_columns = 0;
  bool group_by_length = false;
};

/// Texts with more tokens than the model accepts are truncated at the end.
struct TokenizedTexts {
  std::vector<text::TokenIds> ids;
  std::vector<std::int64_t> labels;  ///< Empty if unknown.
  std::vector<std::string> notes;
  std::vector<int> lines;
};

std::vector<std::int64_t> lengths_of(const std::vector<text::TokenIds>& all) {
  std::vector<std::int64_t> lengths;
  for (const auto& ids : all) {
    lengths.push_back(std::ssize(ids));
  }
  return lengths;
}

class TextDataset : public Dataset {
 public:
  TextDataset(TokenizedTexts texts, const TokenLayout& layout, std::unique_ptr<Dataset> held_out)
      : texts_(std::move(texts)),
        lengths_(lengths_of(texts_.ids)),
        layout_(layout),
        held_out_(std::move(held_out)) {}

  std::int64_t size() const override { return std::ssize(texts_.ids); }
  Dataset* held_out() override { return held_out_.get(); }

  std::vector<std::int64_t> arranged(std::vector<std::int64_t> order,
                                     std::int64_t batch) const override {
    return layout_.group_by_length ? text::group_by_length(std::move(order), lengths_, batch)
                                   : order;
  }

  void start(std::vector<std::int64_t> order, std::int64_t batch) override {
    order_ = std::move(order);
    batch_ = std::size_t(batch);
    next_ = 0;
  }

  std::string origin(std::int64_t index) const override {
    return fmt::format("line {}", texts_.lines[std::size_t(index)]);
  }

  Samples next() override {
    const auto left = std::span<const std::int64_t>(order_).subspan(next_);
    const auto chosen = left.first(std::min(batch_, left.size()));
    next_ += chosen.size();
    return chosen.empty() ? Samples{} : chosen_samples(chosen);
  }

  std::vector<std::string> notes() const override {
    return notes_of_both(texts_.notes, held_out_.get());
  }

 private:
  Samples chosen_samples(std::span<const std::int64_t> chosen) const {
    auto samples = samples_of_tokens(
        text::pad_tokens(texts_.ids, chosen, layout_.padding, layout_.min_columns));
    samples.labels = chosen_labels(chosen);
    return samples;
  }

  torch::Tensor chosen_labels(std::span<const std::int64_t> chosen) const {
    if (texts_.labels.empty()) {
      return {};
    }
    const auto labels = torch::empty({std::ssize(chosen)}, torch::kLong);
    std::transform(chosen.begin(), chosen.end(), labels.data_ptr<std::int64_t>(),
                   [&](std::int64_t index) { return texts_.labels[std::size_t(index)]; });
    return labels;
  }

  TokenizedTexts texts_;
  std::vector<std::int64_t> lengths_;
  TokenLayout layout_;
  std::unique_ptr<Dataset> held_out_;
  std::vector<std::int64_t> order_;
  std::size_t batch_ = 1;
  std::size_t next_ = 0;
};

std::string shipped_or_given(const std::string& path) {
  return path.starts_with(shipped_mark)
             ? (installed_data("experiments", "experiments") / path.substr(shipped_mark.size()))
                   .string()
             : path;
}

/// Sets `ids` to the token ids of `text`, at most `most`. Returns whether tokens were removed.
bool encode_up_to(const text::Tokenizer& tokenizer, std::string_view text, std::size_t most,
                  text::TokenIds& ids) {
  ids = tokenizer.encode(text, most + 1);
  if (ids.size() <= most) {
    return false;
  }
  ids[most - 1] = ids.back();  // the token that ends every text
  ids.resize(most);
  return true;
}

TokenizedTexts tokenized(const DatasetContext& context, const text::Tokenizer& tokenizer,
                         const text::TextSamples& samples) {
  const auto most = std::size_t(context.input.shape.at(0));
  TokenizedTexts texts{std::vector<text::TokenIds>(samples.texts.size()), samples.labels,
                       samples.notes, samples.lines};
  std::atomic<std::int64_t> cut = 0;
  image::parallel_for(texts.ids.size(), int(context.threads), [&](std::size_t i) {
    cut += encode_up_to(tokenizer, samples.texts[i], most, texts.ids[i]) ? 1 : 0;
  });
  std::size_t tokens = 0;
  for (const auto& ids : texts.ids) {
    tokens += ids.size();
  }
  texts.notes.push_back(fmt::format("{} texts of {:.1f} tokens on average, {} of them cut to {}",
                                    texts.ids.size(), double(tokens) / double(texts.ids.size()),
                                    cut.load(), most));
  return texts;
}

void check_reads_texts(const DatasetContext& context, std::string_view dataset) {
  if (context.input.tokenizer.empty()) {
    throw Error(
        fmt::format("dataset {}: the model needs samples of shape {}, expected a model for texts",
                    dataset, fmt::join(context.input.shape, " x ")));
  }
  if (context.input.shape.at(0) < 2) {
    throw Error(
        fmt::format("model.length: found {}, expected at least 2, for the tokens that every text "
                    "begins and ends with",
                    context.input.shape.at(0)));
  }
}

void check_labels(const DatasetContext& context, std::string_view dataset,
                  const std::vector<std::int64_t>& labels) {
  if (!labels.empty()) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const auto largest = *std::max_element(labels.begin(), labels.end());
    check_classes(context, dataset, std::min(largest, most - 1) + 1);
  }
}

}  // namespace

std::unique_ptr<text::Tokenizer> tokenizer_for(const DatasetContext& context) {
  const auto& chosen = context.options.at("tokenizer");
  const auto& name = chosen.empty() ? context.input.tokenizer : chosen;
  const auto& spec = find_entry(text::tokenizers::all(), "tokenizer", name);
  auto path = shipped_or_given(context.options.at("vocabulary"));
  if (path.empty() && std::filesystem::is_directory(context.weights)) {
    path = context.weights;  // a model folder of a hub also contains the vocabulary
  }
  if (path.empty()) {
    throw Error(
        fmt::format("dataset.vocabulary: not given, and weights is no folder with one; expected a "
                    "folder with {}, or those files separated by ':'",
                    fmt::join(spec.files, " and ")));
  }
  auto tokenizer = text::open_tokenizer(name, path);
  if (tokenizer->vocabulary_size() > context.input.vocabulary) {
    throw Error(fmt::format("{}: found {} tokens, expected at most model.vocabulary={}", path,
                            tokenizer->vocabulary_size(), context.input.vocabulary));
  }
  return tokenizer;
}

Samples samples_of_tokens(text::TokenBatch batch) {
  const auto matrix = [&](std::vector<std::int64_t>& values) {
    return torch::from_blob(values.data(), {batch.rows, batch.columns}, torch::kLong);
  };
  const bool filled_up = std::find(batch.mask.begin(), batch.mask.end(), 0) != batch.mask.end();
  return {.inputs = matrix(batch.ids).clone(),
          .labels = {},
          .mask = filled_up ? matrix(batch.mask).to(torch::kBool) : torch::Tensor()};
}

std::vector<run::OptionSpec> text_dataset_options(std::vector<run::OptionSpec> own) {
  const std::vector<run::OptionSpec> common{
      {"limit", "integer", "0", "texts", "Number of texts to use from each file (0: all)", ">=0"},
      {"vocabulary", "text", "", "1",
       "Folder with the tokenizer's files, or those separated by ':' (empty: the folder that "
       "weights names)",
       "path"},
      {"tokenizer", "text", "", "1",
       "What makes tokens of the texts: a file of src/training/text/tokenizers (empty: the model's "
       "own)"},
      {"padding", "text", "longest", "1",
       "Fill a batch up to its longest text, or to the longest that the model takes",
       "longest|model"},
      {"group_by_length", "flag", "false", "1",
       "Make batches of texts of about one length, so that less is filled up"}};
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

std::string data_path(const DatasetContext& context, const std::string& name,
                      std::string_view expected) {
  const auto& given = context.options.at(name);
  if (given.empty()) {
    throw Error(fmt::format("dataset.{}: not given; expected {}", name, expected));
  }
  return shipped_or_given(given);
}

text::TextSamples read_samples(const DatasetContext& context, const std::string& path,
                               const text::TextColumns& columns) {
  auto samples = text::read_texts(path, columns);
  if (context.trains && samples.labels.empty()) {
    throw Error(
        fmt::format("{}:1: found no column '{}', which a training is scored by; without "
                    "it there is task: infer",
                    path, columns.label));
  }
  return samples;
}

std::unique_ptr<Dataset> open_texts(const DatasetContext& context, std::string_view dataset,
                                    const TextParts& parts) {
  check_reads_texts(context, dataset);
  const auto tokenizer = tokenizer_for(context);
  const bool to_the_model = context.options.at("padding") == "model";
  const TokenLayout layout{.padding = tokenizer->padding(),
                           .min_columns = to_the_model ? context.input.shape.at(0) : 0,
                           .group_by_length = option<bool>(context.options, "group_by_length")};
  const auto open = [&](const text::TextSamples& samples, std::unique_ptr<Dataset> held_out) {
    check_labels(context, dataset, samples.labels);
    return std::make_unique<TextDataset>(tokenized(context, *tokenizer, samples), layout,
                                         std::move(held_out));
  };
  auto held_out = parts.held_out.texts.empty() ? nullptr : open(parts.held_out, nullptr);
  if (held_out != nullptr && !context.trains) {
    return held_out;
  }
  return open(parts.train, std::move(held_out));
}

}  // namespace epochcast::libtorch
