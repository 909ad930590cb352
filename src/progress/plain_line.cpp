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

std::optional<double> duration_in(std::string_view name, double value, std::string_view unit) {
  const auto low = to_lower(name);
  const bool time = low.ends_with("time") || low.ends_with("took") || low.ends_with("elapsed") ||
                    low.ends_with("duration") || low.ends_with("seconds") ||
                    low.ends_with("time_s");
  if (!time || value < 0) {
    return std::nullopt;
  }
  return value * (unit == "ms"                   ? 0.001
                  : unit == "m" || unit == "min" ? 60
                  : unit == "h"                  ? 3600
                                                 : 1);
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
  if (const auto step = step_in(line)) {
    reading.step = step->number;
    reading.steps = step->total;
  }
  for (auto& value : named_values(line, true)) {
    if (const auto seconds = duration_in(value.name, value.value, "")) {
      reading.duration_s = seconds;
    } else if (const auto low = to_lower(value.name);
               low != "step" && low != "batch" && low != "iter" && low != "iteration") {
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
  if (!reading.step) {
    if (last_ended_ == number) {
      // Two lines an epoch, of training and of evaluation, are usual. More say that the epoch goes
      // on after the first, which then was no end.
      reading.evidence = ++repeats_ > 1 ? -0.5 : 0;
    } else {
      repeats_ = 0;
      reading.ends_epoch = true;
      reading.evidence = epoch->total ? 0.5 : 0.34;
    }
    last_ended_ = number;
  } else {
    reading.evidence = 0.34;
  }
  return reading;
}

}  // namespace epochcast::progress
