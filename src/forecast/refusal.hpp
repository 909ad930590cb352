// The answer where there is no forecast.
#pragma once

#include <string>

namespace epochcast::forecast {

/// Why there is no forecast, in a line.
struct Refusal {
  std::string reason;
};

}  // namespace epochcast::forecast
