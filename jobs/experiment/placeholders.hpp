// {placeholders} in the texts of an experiment. "{{" and "}}" are literal braces.
#pragma once

#include <string>
#include <vector>

#include "jobs/experiment/settings.hpp"

namespace epochcast::jobs {

/// Names of the placeholders of `text`, each once, in order. Throws Error for a brace that is not
/// closed, and for a text in braces that cannot be a name.
std::vector<std::string> placeholders(const std::string& text);

/// `text` with every placeholder replaced; all must be in `values`.
std::string fill_placeholders(const std::string& text, const Settings& values);

/// `text` with its braces doubled: the inverse of fill_placeholders for a text without
/// placeholders.
std::string with_literal_braces(const std::string& text);

}  // namespace epochcast::jobs
