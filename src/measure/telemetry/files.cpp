#include "src/measure/telemetry/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace epochcast::telemetry {

std::string read_small_file(const std::filesystem::path& path) {
  constexpr std::size_t first_bytes = 4096;
  constexpr std::size_t most_bytes = 1 << 20;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return "";
  }
  std::string text(first_bytes, '\0');
  std::size_t size = 0;
  ssize_t count = 0;
  while (size < most_bytes && (count = ::read(file, text.data() + size, text.size() - size)) > 0) {
    size += static_cast<std::size_t>(count);
    if (size == text.size()) {
      text.resize(2 * size);
    }
  }
  ::close(file);
  text.resize(count < 0 ? 0 : size);
  return text;
}

std::optional<double> first_number(std::string_view text) {
  const auto start = text.find_first_of("0123456789");
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  double value = 0;
  const auto end = text.data() + text.size();
  return std::from_chars(text.data() + start, end, value).ec == std::errc{} ? std::optional(value)
                                                                            : std::nullopt;
}

std::optional<double> number_after(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; (at = text.find(key, at)) != std::string_view::npos; ++at) {
    const auto after = at + key.size();
    const bool starts_line = at == 0 || text[at - 1] == '\n';
    if (starts_line && after < text.size() && (text[after] == ' ' || text[after] == '\t')) {
      return first_number(text.substr(after, text.find('\n', after) - after));
    }
  }
  return std::nullopt;
}

std::string_view word_at(std::string_view text, std::size_t index) {
  constexpr std::string_view spaces = " \t\n";
  for (;; --index) {
    const auto start = text.find_first_not_of(spaces);
    if (start == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(start);
    const auto end = std::min(text.find_first_of(spaces), text.size());
    if (index == 0) {
      return text.substr(0, end);
    }
    text.remove_prefix(end);
  }
}

}  // namespace epochcast::telemetry
