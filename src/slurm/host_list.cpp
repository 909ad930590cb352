#include "src/slurm/host_list.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::slurm {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(fmt::format("host list: found '{}', expected a list such as node[01-03,07]", text));
}

/// Splits at the commas outside brackets.
std::vector<std::string> split_outside_brackets(std::string_view text) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (const char c : text) {
    if (c == (inside ? '[' : ']')) {
      refuse(text);
    }
    inside = c == '[' || (inside && c != ']');
    if (c == ',' && !inside) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (inside) {
    refuse(text);
  }
  return parts;
}

/// The numbers of "07" or "01-03", with as many digits as the first number.
std::vector<std::string> range_numbers(std::string_view range) {
  const auto dash = range.find('-');
  const auto first_text = range.substr(0, dash);
  const auto first = parse_integer(first_text);
  const auto last = dash == std::string_view::npos ? first : parse_integer(range.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last - *first > 100000) {
    refuse(range);
  }
  std::vector<std::string> numbers;
  for (auto number = *first; number <= *last; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, first_text.size()));
  }
  return numbers;
}

std::vector<std::string> expand_name(std::string_view name) {
  const auto open = name.find('[');
  if (open == std::string_view::npos) {
    return {std::string(name)};
  }
  const auto close = name.find(']', open);
  const auto rests = expand_name(name.substr(close + 1));
  std::vector<std::string> names;
  for (const auto& range : split(name.substr(open + 1, close - open - 1), ',')) {
    for (const auto& number : range_numbers(range)) {
      for (const auto& rest : rests) {
        names.push_back(fmt::format("{}{}{}", name.substr(0, open), number, rest));
      }
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view text) {
  std::vector<std::string> hosts;
  for (const auto& part : split_outside_brackets(text)) {
    if (!part.empty()) {
      const auto names = expand_name(part);
      hosts.insert(hosts.end(), names.begin(), names.end());
    }
  }
  return hosts;
}

}  // namespace epochcast::slurm
