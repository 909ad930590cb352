#include "src/measure/progress/sources/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::progress::sources {
namespace {

using nlohmann::json;

constexpr int deepest_event = 8;
constexpr std::size_t most_event_metrics = 1000;
constexpr std::size_t longest_name = 200;
constexpr double largest_count = 9e15;  // 2^53: whole numbers are exact below

constexpr std::array kinds{
    std::pair{"train_begin", EventKind::train_begin},
    std::pair{"epoch_begin", EventKind::epoch_begin},
    std::pair{"epoch_end", EventKind::epoch_end},
    std::pair{"epoch_drop", EventKind::epoch_drop},
    std::pair{"step", EventKind::step},
    std::pair{"evaluate_begin", EventKind::evaluate_begin},
    std::pair{"evaluate_end", EventKind::evaluate_end},
    std::pair{"metrics", EventKind::metrics},
    std::pair{"train_end", EventKind::train_end},
    std::pair{"note", EventKind::note},
};

/// The line with the words NaN, Infinity and -Infinity as texts, outside of texts. JSON has none,
/// but Python's json writes them, just when a training fails.
std::string with_quoted_words(std::string_view line) {
  constexpr std::array<std::string_view, 3> words{"NaN", "-Infinity", "Infinity"};
  std::string text;
  bool in_text = false;
  while (!line.empty()) {
    std::size_t taken = 1;
    std::string_view quote;
    if (in_text && line[0] == '\\') {
      taken = std::min<std::size_t>(2, line.size());
    } else if (line[0] == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      for (const auto word : words) {
        if (line.starts_with(word)) {
          taken = word.size();
          quote = "\"";
          break;
        }
      }
    }
    text.append(quote).append(line.substr(0, taken)).append(quote);
    line.remove_prefix(taken);
  }
  return text;
}

json parse_object(std::string_view line) {
  const bool may_have_words = line.find("NaN") != line.npos || line.find("Infinity") != line.npos;
  auto object = parse_strict_json(may_have_words ? with_quoted_words(line) : std::string(line),
                                  "the line", deepest_event);
  if (!object.is_object()) {
    throw Error("the line is no JSON object");
  }
  return object;
}

EventKind event_kind(const json& object) {
  const auto found = object.find("event");
  if (found == object.end() || !found->is_string()) {
    throw Error(R"(found no "event":"NAME")");
  }
  const auto& name = found->get_ref<const std::string&>();
  std::vector<std::string> names;
  for (const auto& [known, kind] : kinds) {
    if (name == known) {
      return kind;
    }
    names.emplace_back(known);
  }
  throw Error(fmt::format("unknown event {}{}", shown_name(name), did_you_mean(name, names)));
}

/// A whole number from 0; 3.0 is one, null and a missing key are none.
std::optional<std::int64_t> event_count(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) {
    return std::nullopt;
  }
  const double value = found->is_number() ? found->get<double>() : NAN;
  if (!(value >= 0 && value < largest_count && value == std::floor(value))) {
    throw Error(fmt::format("{}: found {:.60}, expected a whole number from 0", name,
                            found->dump(-1, ' ', true, json::error_handler_t::replace)));
  }
  return static_cast<std::int64_t>(value);
}

/// Nanoseconds do not fit a double: as they are.
std::optional<std::int64_t> event_time_ns(const json& object) {
  const auto found = object.find("time_ns");
  return found != object.end() && found->is_number_unsigned() &&
                 found->get<std::uint64_t>() <= INT64_MAX
             ? std::optional(found->get<std::int64_t>())
             : std::nullopt;
}

std::optional<double> event_number(const json& value) {
  if (value.is_number()) {
    return value.get<double>();
  }
  return value.is_string() ? parse_double(value.get_ref<const std::string&>()) : std::nullopt;
}

std::string event_text(const json& object) {
  constexpr std::size_t longest_text = 300;
  const auto found = object.find("text");
  return found != object.end() && found->is_string()
             ? printable(found->get_ref<const std::string&>().substr(0, longest_text))
             : "";
}

std::vector<NamedValue> metrics_of(const json& object) {
  std::vector<NamedValue> metrics;
  const auto found = object.find("metrics");
  if (found == object.end() || !found->is_object()) {
    return metrics;
  }
  for (const auto& [name, value] : found->items()) {
    if (const auto number = event_number(value); number && !name.empty() &&
                                                 name.size() <= longest_name &&
                                                 metrics.size() < most_event_metrics) {
      metrics.push_back({name, *number});
    }
  }
  return metrics;
}

}  // namespace

Event parse_event(std::string_view line) {
  const auto object = parse_object(line);
  return {.kind = event_kind(object),
          .epoch = event_count(object, "epoch"),
          .epochs = event_count(object, "epochs"),
          .step = event_count(object, "step"),
          .steps = event_count(object, "steps"),
          .samples = event_count(object, "samples"),
          .time_ns = event_time_ns(object),
          .rank = event_count(object, "rank"),
          .pid = event_count(object, "pid"),
          .text = event_text(object),
          .metrics = metrics_of(object)};
}

}  // namespace epochcast::progress::sources
