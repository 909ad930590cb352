#include "src/base/core/signals.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "src/base/core/text.hpp"

namespace epochcast {

std::string signal_name(int signal) {
  const char* abbreviation = sigabbrev_np(signal);
  return abbreviation == nullptr ? fmt::format("signal {}", signal)
                                 : fmt::format("SIG{}", abbreviation);
}

std::optional<int> signal_number(std::string_view text) {
  const auto number = parse_integer(text);
  const auto name = text.starts_with("SIG") ? text.substr(3) : text;
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* abbreviation = sigabbrev_np(signal);
    if (number == signal || (abbreviation != nullptr && name == abbreviation)) {
      return signal;
    }
  }
  return std::nullopt;
}

}  // namespace epochcast
