#include "src/measure/progress/scanner.hpp"

#include <algorithm>
#include <charconv>

#include "src/base/core/text.hpp"

namespace epochcast::progress {

bool Scanner::skip(std::string_view expected) {
  if (!rest_.starts_with(expected)) {
    return false;
  }
  rest_.remove_prefix(expected.size());
  return true;
}

void Scanner::skip_blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
}

std::optional<double> Scanner::number() {
  double value = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return value;
}

std::string_view Scanner::word() {
  const auto found = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(found.size());
  return found;
}

bool Scanner::at_end() const {
  return trim(rest_).empty();
}

}  // namespace epochcast::progress
