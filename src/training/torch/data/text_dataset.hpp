// The common part of all text data sets: from texts to the token ids that a model reads.
#pragma once

#include <string>
#include <string_view>

#include "src/training/text/text_file.hpp"
#include "src/training/text/token_batch.hpp"
#include "src/training/text/tokenizer.hpp"
#include "src/training/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// The options of a text data set: `own`, then the options that all text data sets have.
std::vector<run::OptionSpec> text_dataset_options(std::vector<run::OptionSpec> own);

/// The file or folder given by the option `name`; "share:NAME" is a file or folder that is
/// installed with the programs. Throws Error, naming `expected`, if the option is empty.
std::string data_path(const DatasetContext& context, const std::string& name,
                      std::string_view expected);

/// Same as read_texts, but also throws Error if labels that training needs are missing.
text::TextSamples read_samples(const DatasetContext& context, const std::string& path,
                               const text::TextColumns& columns = {});

/// The tokenizer that the options of a text data set choose: its vocabulary is in their folder or
/// in that of the weights. Throws Error if there is none, or if the model has fewer tokens.
std::unique_ptr<text::Tokenizer> tokenizer_for(const DatasetContext& context);

/// A batch as a model reads it, without labels.
Samples samples_of_tokens(text::TokenBatch batch);

/// Either part may be empty.
struct TextParts {
  text::TextSamples train;
  text::TextSamples held_out;
};

/// `parts` in the form that the model of `context` reads. If the run does not train, only the
/// held-out part, if there is one. Throws Error if the model reads no texts, if it has fewer tokens
/// or classes than the data, or if there is no vocabulary.
std::unique_ptr<Dataset> open_texts(const DatasetContext& context, std::string_view dataset,
                                    const TextParts& parts);

}  // namespace epochcast::libtorch
