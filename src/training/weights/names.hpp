// Maps the names in a weight file to those of a model. Files of the same network differ by age and
// by the task that they were trained for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::weights {

/// Whether `name` of the model belongs to a classifier on top of `body`. A file of the body alone,
/// or of another task, does not contain such a name.
bool is_of_head(std::string_view name, std::string_view body);

struct NameMatches {
  struct Pair {
    std::string in_file;
    std::string in_model;
  };
  std::vector<Pair> pairs;              ///< Names that the model takes from the file.
  std::vector<std::string> missing;     ///< Names of the model's head that the file does not have.
  std::vector<std::string> unexpected;  ///< Names in the file without a known use.
  std::vector<std::string> ignored;     ///< Names in the file that no classifier uses.
};

/// Matches the names by the rules of transformers' from_pretrained and of the conversion scripts of
/// the published files. A name is used, in this order: unchanged; with LayerNorm.gamma and .beta
/// replaced by LayerNorm.weight and .bias (the former are TensorFlow's names, in
/// bert-base-uncased); with `body` ("bert") and a dot before it, because a file of the body alone
/// omits them. Heads of other tasks (cls.*, lm_head.*, vocab_*, fit_denses.*) and stored position
/// ids are ignored. Throws Error "PATH: ..." if a name of the body, except its pooler, is missing
/// (if `body` is empty, it is the whole model), or if the file has more of a repeated part, such as
/// the layers of a deeper network.
NameMatches match_names(const std::vector<std::string>& in_file,
                        const std::vector<std::string>& in_model, std::string_view body,
                        const std::string& path);

/// One remark each about the names that were renamed, missing, unexpected or ignored: their number
/// and the first of them.
std::vector<std::string> remarks_of(const NameMatches& matches, const std::string& path);

}  // namespace epochcast::weights
