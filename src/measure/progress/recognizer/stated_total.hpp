// What a log says that all of its training took, against its epochs.
#pragma once

#include <string>
#include <string_view>

#include "src/measure/progress/rows/rows.hpp"

namespace epochcast::progress {

/// What contradicts the times of epochs that a log states without stamps: "Total training time:
/// 0:10:00" where they add up to clearly more. Several totals, of folds or attempts, add up. Empty:
/// nothing.
std::string total_contradicts(std::string_view text, const Rows& rows);

}  // namespace epochcast::progress
