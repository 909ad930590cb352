// A bar as tqdm draws it, which several programs use:
// "Epoch 0:  50%|█████     | 5/10 [00:01<00:01, 4.9it/s, loss=0.5]".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace epochcast::progress {

struct Bar {
  std::string_view description;  ///< Without the colon after it.
  std::int64_t done = 0;
  std::optional<std::int64_t> total;  ///< Empty: the bar does not know it.
  double elapsed_s = 0;               ///< To a second.
  std::string_view postfix;           ///< After the rate: "loss=0.5, acc=0.9".
  bool scaled = false;                ///< The counts are rounded: "1.2k/50.0k".
};

/// std::nullopt if the text is no bar, or if something is missing of it.
std::optional<Bar> parse_bar(std::string_view text);

}  // namespace epochcast::progress
