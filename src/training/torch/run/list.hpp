// The list of models, data sets and optimizers with their options, for programs without LibTorch.
#pragma once

#include <string>

namespace epochcast::libtorch {

/// {"models": {"dcgan": {"summary": ..., "options": [{name, type, default, unit, meaning,
/// allowed}]}},
///  "datasets": {...}, "optimizers": {...}} as indented JSON; a model also has the name of its own
///  "optimizer".
std::string model_list_json();

/// docs/reference/options.md: the options of every model, data set and optimizer.
std::string options_page();

/// One line each: kind, name, summary.
std::string model_list_text();

/// The summary and the options of a model, a data set or an optimizer as a help page. Throws Error
/// if there is none of that name.
std::string model_help(const std::string& name);

}  // namespace epochcast::libtorch
