// The result if no forecast is possible.
#pragma once

#include <string>

namespace epochcast::forecast {

/// Why no forecast is possible, in one line.
struct Refusal {
  std::string reason;
};

}  // namespace epochcast::forecast
