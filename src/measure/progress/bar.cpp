#include "src/measure/progress/bar.hpp"

#include <cmath>

#include "src/base/core/text.hpp"
#include "src/measure/progress/scanner.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress {
namespace {

struct Count {
  std::int64_t value = 0;
  bool scaled = false;
};

/// "512", "1.23k", "4.00G"; std::nullopt if it is none.
std::optional<Count> count(Scanner& scanner) {
  constexpr double most = 1e15;
  const auto value = scanner.number();
  if (!value || !(*value >= 0) || *value > most) {
    return std::nullopt;
  }
  const auto prefix = std::string_view("kMGT").find(scanner.rest().substr(0, 1));
  const bool scaled = !scanner.rest().empty() && prefix != std::string_view::npos;
  const double all = *value * (scaled ? std::pow(1000.0, static_cast<double>(prefix + 1)) : 1);
  if (!(all <= most)) {
    return std::nullopt;
  }
  scanner.skip(scanner.rest().substr(0, scaled ? 1 : 0));
  return Count{std::llround(all), scaled || *value != std::floor(*value)};
}

/// " [00:01<00:01, 4.9it/s, loss=0.5]" without the brackets; `known`: with a remaining time.
bool read_times(std::string_view text, bool known, Bar& bar) {
  auto end = text.find(known ? "<" : ", ");
  if (!known && end != std::string_view::npos && text.substr(end).starts_with(", ") &&
      text.substr(0, end).find("day") != std::string_view::npos) {
    end = text.find(", ", end + 2);
  }
  if (end == std::string_view::npos) {
    return false;
  }
  const auto elapsed = clock_time_s(text.substr(0, end));
  const auto rate = text.find(", ", end);
  if (!elapsed || rate == std::string_view::npos) {
    return false;
  }
  bar.elapsed_s = *elapsed;
  text = text.substr(rate + 2);
  const auto rate_end = text.find(", ");
  if (text.substr(0, rate_end).find('/') == std::string_view::npos) {
    return false;
  }
  bar.postfix = rate_end == std::string_view::npos ? "" : text.substr(rate_end + 2);
  return true;
}

std::string_view description_of(std::string_view text) {
  text = trim(text);
  if (text.ends_with(':')) {
    text.remove_suffix(1);
  }
  return text;
}

std::optional<Bar> with_total(std::string_view text, std::size_t percent) {
  auto begin = percent;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') {
    --begin;
  }
  const auto drawn = text.find('|', percent + 2);
  if (begin == percent || drawn == std::string_view::npos) {
    return std::nullopt;
  }
  Bar bar{.description = description_of(text.substr(0, begin)),
          .done = 0,
          .total = {},
          .elapsed_s = 0,
          .postfix = {},
          .scaled = false};
  Scanner scanner(text.substr(drawn + 1));
  scanner.skip(" ");
  const auto done = count(scanner);
  const bool slash = scanner.skip("/");
  const auto total = count(scanner);
  scanner.skip_blanks();
  if (!done || !slash || !total || !scanner.skip("[")) {
    return std::nullopt;
  }
  bar.done = done->value;
  bar.total = total->value;
  bar.scaled = done->scaled || total->scaled;
  const auto end = scanner.rest().rfind(']');
  return end != std::string_view::npos && read_times(scanner.rest().substr(0, end), true, bar)
             ? std::optional(bar)
             : std::nullopt;
}

/// "train: 512it [00:10, 49.8it/s]"
std::optional<Bar> without_total(std::string_view text, std::size_t bracket) {
  auto begin = bracket;
  while (begin > 0 && text[begin - 1] != ' ') {
    --begin;
  }
  Bar bar{.description = description_of(text.substr(0, begin)),
          .done = 0,
          .total = {},
          .elapsed_s = 0,
          .postfix = {},
          .scaled = false};
  Scanner scanner(text.substr(begin, bracket - begin));
  const auto done = count(scanner);
  const auto times = text.substr(bracket + 2);
  const auto end = times.rfind(']');
  if (!done || scanner.rest().empty() || end == std::string_view::npos) {
    return std::nullopt;
  }
  bar.done = done->value;
  bar.scaled = done->scaled;
  return read_times(times.substr(0, end), false, bar) ? std::optional(bar) : std::nullopt;
}

}  // namespace

std::optional<Bar> parse_bar(std::string_view text) {
  if (const auto percent = text.find("%|"); percent != std::string_view::npos) {
    return with_total(text, percent);
  }
  const auto bracket = text.find(" [");
  return bracket == std::string_view::npos || bracket == 0 ? std::nullopt
                                                           : without_total(text, bracket);
}

}  // namespace epochcast::progress
