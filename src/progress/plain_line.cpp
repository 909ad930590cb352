#include "src/progress/plain_line.hpp"

#include <algorithm>

#include "src/core/text.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t longest_lead = 64;  ///< "2026-11-24 22:01:09,123 INFO train: "

std::size_t find_epoch(std::string_view text) {
  for (const std::string_view word : {"poch", "POCH"}) {
    const auto at = text.substr(0, longest_lead + 5).find(word);
    if (at != std::string_view::npos && at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E')) {
      return at - 1;
    }
  }
  return std::string_view::npos;
}

/// "step 100/200", "batch: 3/10", "[100/200]", "iter 100".
std::optional<Fraction> step_in(std::string_view text) {
  const auto low = to_lower(text);
  for (const std::string_view word : {"step", "batch", "iter"}) {
    const auto at = low.find(word);
    if (at == std::string::npos || (at > 0 && is_letter(low[at - 1]))) {
      continue;
    }
    auto end = at;
    while (end < low.size() && is_letter(low[end])) {
      ++end;
    }
    Scanner scanner(text.substr(end));
    while (scanner.skip(" ") || scanner.skip(":") || scanner.skip("=") || scanner.skip("#")) {
    }
    if (const auto found = fraction(scanner)) {
      return found;
    }
  }
  return std::nullopt;
}

/// The seconds of "time: 12.5s", "took 3 min"; std::nullopt if the name is none of a time.
std::optional<double> duration_in(std::string_view name, double value, std::string_view unit) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](auto word) { return name.ends_with(word); });
  };
  if (!is_one_of({"time", "took", "elapsed", "duration", "seconds", "time_s"}) || value < 0) {
    return std::nullopt;
  }
  return value * (unit == "ms"                   ? 0.001
                  : unit == "m" || unit == "min" ? 60
                  : unit == "h"                  ? 3600
                                                 : 1);
}

/// "[32000/60000 (53%)]" behind the epoch: samples, as in PyTorch's examples.
std::optional<double> part_in(std::string_view text) {
  const auto bracket = text.find('[');
  const auto percent = text.find("%)]");
  if (bracket == std::string_view::npos || percent == std::string_view::npos || bracket > 3) {
    return std::nullopt;
  }
  Scanner scanner(text.substr(bracket + 1));
  const auto samples = fraction(scanner);
  const bool is_part = samples && samples->total && *samples->total > 0 &&
                       samples->number <= *samples->total && scanner.skip(" (");
  return is_part ? std::optional(static_cast<double>(samples->number) /
                                 static_cast<double>(*samples->total))
                 : std::nullopt;
}

}  // namespace

std::optional<Fraction> take_epoch(std::string_view& text) {
  const auto at = find_epoch(text);
  if (at == std::string_view::npos || (at > 0 && is_letter(text[at - 1]))) {
    return std::nullopt;
  }
  Scanner scanner(text.substr(at + 5));
  while (scanner.skip(" ") || scanner.skip(":") || scanner.skip("=") || scanner.skip("#")) {
  }
  auto found = fraction(scanner);
  if (!found || scanner.rest().starts_with(".")) {
    return std::nullopt;
  }
  text = scanner.rest();
  return found;
}

std::optional<Reading> PlainReader::read(std::string_view line) {
  const auto epoch = take_epoch(line);
  const auto number =
      epoch ? count_.from_zero(epoch->number, epoch->total.has_value()) : std::nullopt;
  if (!number || (!line.empty() && is_letter(line.front()))) {
    return std::nullopt;
  }
  Reading reading{.epoch = number};
  if (epoch->total) {
    reading.epochs = count_.total(*epoch->total);
  }
  if (const auto part = part_in(line)) {
    reading.part = part;
  } else if (const auto step = step_in(line)) {
    reading.step = step->number;
    reading.steps = step->total;
  }
  for (auto& [value, unit] : measured_values(line, true)) {
    const auto low = to_lower(value.name);
    if (const auto seconds = duration_in(low, value.value, unit)) {
      reading.duration_s = seconds;
    } else if ((unit.empty() || unit == "%") && low != "step" && low != "batch" && low != "iter" &&
               low != "iteration") {
      reading.metrics.push_back(std::move(value));
    }
  }
  const bool has_values = !reading.metrics.empty() || reading.duration_s;
  if (!has_values) {
    const bool header = trim(line).find_first_not_of("-=:.]#*") == std::string_view::npos;
    if (!header || reading.step) {
      return std::nullopt;
    }
    reading.begins_epoch = true;
    reading.evidence = epoch->total ? 0.34 : 0.25;
    return reading;
  }
  if (reading.step || reading.part) {
    reading.evidence = 0.34;
  } else {
    weigh_end(reading, epoch->total.has_value());
  }
  return reading;
}

/// A line with values ends its epoch, unless the program prints the same line again in that epoch.
/// Another line about the epoch (its validation, say) has other names.
void PlainReader::weigh_end(Reading& reading, bool has_total) {
  const bool again = last_ended_ == reading.epoch;
  const auto name = reading.metrics.empty() ? std::string() : reading.metrics.front().name;
  if (again && name == first_name_ && !several_) {
    several_ = true;
    reading.evidence = contradiction;
  } else if (!again) {
    reading.ends_epoch = !several_;
    reading.evidence = has_total ? 0.5 : 0.34;
    first_name_ = name;
  }
  last_ended_ = reading.epoch;
}

}  // namespace epochcast::progress
