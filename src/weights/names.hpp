// From the names in a file of weights to those of a model: files of the same network differ by age
// and by the task they were trained for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::weights {

/// Whether the model's `name` is of a classifier on top of `body`, which a file of the body alone,
/// or of another task, has not.
bool is_of_head(std::string_view name, std::string_view body);

struct NameMatches {
  struct Pair {
    std::string in_file;
    std::string in_model;
  };
  std::vector<Pair> pairs;              ///< What the model takes from the file.
  std::vector<std::string> missing;     ///< The model's head, which the file does not have.
  std::vector<std::string> unexpected;  ///< In the file, of no known use.
  std::vector<std::string> ignored;     ///< In the file, known to be of no use to a classifier.
};

/// Rules, as transformers' from_pretrained and the conversion scripts of the published files have
/// them: a name is taken as it is, else with LayerNorm.gamma and .beta as LayerNorm.weight and
/// .bias (TensorFlow's names, in bert-base-uncased), else with `body` ("bert") and a dot before it,
/// since a file of the body alone leaves that out; heads of other tasks (cls.*, lm_head.*, vocab_*,
/// fit_denses.*) and stored position ids are ignored. Throws Error "PATH: ..." where a name of the
/// body, its pooler excepted, is missing (an empty `body` is the whole model), or where the file
/// has more of a repeated part, as the layers of a deeper network.
NameMatches match_names(const std::vector<std::string>& in_file,
                        const std::vector<std::string>& in_model, std::string_view body,
                        const std::string& path);

/// A remark each on what was renamed, missing, unexpected, ignored: how many, and the first of
/// them.
std::vector<std::string> remarks_of(const NameMatches& matches, const std::string& path);

}  // namespace epochcast::weights
