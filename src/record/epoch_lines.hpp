// The epochs among the JSON lines of a record, without a look at its steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::record {

/// std::nullopt if the file cannot be read or one of these lines is damaged.
std::optional<std::vector<Epoch>> epochs_in_lines(const std::string& lines_path);

}  // namespace epochcast::record
