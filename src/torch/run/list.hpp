// The model list: models, data sets and optimizers with their options, for programs without
// LibTorch.
#pragma once

#include <string>

namespace epochcast::libtorch {

/// {"models": {"dcgan": {"summary": ..., "options": [{name, type, default, unit, meaning,
/// allowed}]}},
///  "datasets": {...}, "optimizers": {...}} as indented JSON; a model also has the name of its own
///  "optimizer".
std::string model_list_json();

/// One line each: kind, name, summary.
std::string model_list_text();

/// Summary and options of a model, a data set or an optimizer, as a help page. Throws Error if the
/// name is unknown.
std::string option_help(const std::string& name);

}  // namespace epochcast::libtorch
