// What a log says about its times besides those of its epochs, against the rows: totals, rates, the
// time that is left, and the stamps between epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/measure/progress/lines/number_format.hpp"
#include "src/measure/progress/rows/rows.hpp"

namespace epochcast::progress {

/// What contradicts the times of epochs that a log states without stamps: "Total training time:
/// 0:10:00" where they add up to clearly more. Several totals, of folds or attempts, add up. Empty:
/// nothing. `numbers`: the signs of the log's numbers.
std::string total_contradicts(std::string_view text, const Rows& rows, NumberFormat numbers);

/// What contradicts the times of epochs by more than ten times, so that a unit or a date was
/// misread: "3.2 it/s" or "45 ms/step" against the steps of an epoch, "ETA: 0:12:13" against the
/// epochs; `epochs` is their number, if it is known. Not for the formats of known programs, which
/// print such things of other bars, too. Empty: nothing.
std::string rate_contradicts(std::string_view text, const Rows& rows,
                             std::optional<std::int64_t> epochs);

/// What contradicts epochs of a log with stamps: from one to the next, more time passes in none
/// than in an epoch, so that their ends are not where they seem to be. Empty: nothing.
std::string span_contradicts(const Rows& rows);

}  // namespace epochcast::progress
