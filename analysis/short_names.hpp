// Names of models with their options, as short as tells them apart.
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// Joins the words of each name ("mlp", "depth=3", "bias=true"), without those that every name with
/// the same first word has: most models have many options that nobody varies.
std::vector<std::string> short_names(const std::vector<std::vector<std::string>>& names);

}  // namespace epochcast
