// Stamps that stand within the lines of a log: "epoch 3 loss 0.5 [23:06:01]", {"ts": 1781013843.5,
// "epoch": 3}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast::progress {

/// The line of an epoch or a step without the dates and their clocks in it, none of which is a
/// value or a duration; std::nullopt: it has none.
std::optional<std::string> without_dates(std::string_view line);

/// A log in which no line of an epoch or a step begins with a stamp, but has one in it: each such
/// stamp moved to the front of its line, also in lines that have it in the same place.
/// std::nullopt: there is none. Dates and Unix times are stamps where they go up over the log. So
/// are clock times that have no name of a duration, go up in steady steps, and are far larger than
/// these; where that is not clear, they are taken away, as they may be durations too.
std::optional<std::string> stamps_first(std::string_view text);

}  // namespace epochcast::progress
