// Logs that count their epochs by another word, or by none: "round 3", "pass 1 of 5", "[3/10]".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast::progress {

/// The log with "epoch 3/10" in the place of such a count, if no line of it names an epoch and the
/// numbers go up by one from 0 or 1 to no more than their total. Without a word, which may be a
/// count of steps or files, there must be a result of held-out data for each number. std::nullopt:
/// it is none.
std::optional<std::string> with_epochs_named(std::string_view text);

}  // namespace epochcast::progress
