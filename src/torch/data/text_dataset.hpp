// What data sets of texts have in common: the way from texts to the token ids that a model reads.
#pragma once

#include <string>
#include <string_view>

#include "src/text/text_file.hpp"
#include "src/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// Options of a data set of texts: `own`, then those that all have.
std::vector<run::OptionSpec> text_dataset_options(std::vector<run::OptionSpec> own);

/// The file or folder that the option `name` gives; "share:NAME" is one that comes with the
/// programs. Throws Error where none is given, naming `expected`.
std::string data_path(const DatasetContext& context, const std::string& name,
                      std::string_view expected);

/// As read_texts. Also throws Error if labels that training needs are missing.
text::TextSamples read_samples(const DatasetContext& context, const std::string& path,
                               const text::TextColumns& columns = {});

/// Either part may have no texts.
struct TextParts {
  text::TextSamples train;
  text::TextSamples held_out;
};

/// `parts` as the model of `context` reads them, of the held-out one alone where there is no
/// training. Throws Error: the model reads no texts, knows fewer tokens or classes than there are,
/// no vocabulary.
std::unique_ptr<Dataset> open_texts(const DatasetContext& context, std::string_view dataset,
                                    const TextParts& parts);

}  // namespace epochcast::libtorch
