#include "src/slurm/time.hpp"

#include <limits>
#include <vector>

#include "src/base/core/text.hpp"

namespace epochcast::slurm {

std::optional<double> parse_time_s(std::string_view text) {
  if (text == "UNLIMITED" || text == "infinite") {
    return std::numeric_limits<double>::infinity();
  }
  const auto dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  std::vector<double> numbers;
  for (const auto& part : split(text.substr(has_days ? dash + 1 : 0), ':')) {
    const auto number = parse_integer(part);
    if (!number || *number < 0) {
      return std::nullopt;
    }
    numbers.push_back(static_cast<double>(*number));
  }
  const auto days = has_days ? parse_integer(text.substr(0, dash)) : 0;
  if (!days || *days < 0 || numbers.empty() || numbers.size() > 3) {
    return std::nullopt;
  }
  // After days, the first number is hours. Without days, a single number is minutes, and two
  // numbers are minutes and seconds.
  if (!has_days && numbers.size() < 3) {
    numbers.insert(numbers.begin(), 0.0);
  }
  numbers.resize(3, 0.0);
  return static_cast<double>(*days) * 86400 + numbers[0] * 3600 + numbers[1] * 60 + numbers[2];
}

}  // namespace epochcast::slurm
