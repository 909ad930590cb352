// An option that a model, a data set or an optimizer declares in its own file: `model.depth`,
// `dataset.path`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::run {

struct OptionSpec {
  std::string name;  ///< Without the prefix: "depth".
  std::string type;  ///< As type_name: "integer", "number", "text", "flag", "duration", "size".
  std::string default_value;  ///< As text.
  std::string unit = "1";
  std::string meaning;
  std::string allowed = {};  ///< As Field::allowed.
};

/// Given options: name without prefix → text.
using OptionValues = std::map<std::string, std::string>;

/// The given values and the defaults of all others, checked by type and allowed values.
/// Throws Error "model.dpeth: unknown option of model 'mlp'; did you mean 'depth'?" (`kind`
/// "model", `owner` "mlp"), and std::logic_error for a mistake in `specs`, such as a default that
/// is not allowed.
OptionValues complete_options(const OptionValues& given, const std::vector<OptionSpec>& specs,
                              std::string_view kind, std::string_view owner);

}  // namespace epochcast::run
