// The catalogue: models and data sets with their options, for programs without LibTorch.
#pragma once

#include <string>

namespace epochcast {

/// {"models": {"dcgan": {"summary": ..., "options": [{name, type, default, unit, meaning, allowed}]}},
///  "datasets": {...}} as indented JSON.
std::string catalogue_json();

/// A line each: kind, name, what it is.
std::string catalogue_text();

}  // namespace epochcast
