// The common part of all text data sets: from texts to the token ids that a model reads.
#pragma once

#include <string>
#include <string_view>

#include "src/text/text_file.hpp"
#include "src/torch/data/dataset.hpp"

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
