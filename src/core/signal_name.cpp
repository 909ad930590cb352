#include "src/core/signal_name.hpp"

#include <fmt/format.h>

#include <cstring>

namespace epochcast {

std::string signal_name(int signal) {
  const char* abbreviation = sigabbrev_np(signal);
  return abbreviation == nullptr ? fmt::format("signal {}", signal)
                                 : fmt::format("SIG{}", abbreviation);
}

}  // namespace epochcast
