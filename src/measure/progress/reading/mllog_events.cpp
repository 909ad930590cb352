#include "src/measure/progress/reading/mllog_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "src/base/core/text.hpp"

namespace epochcast::progress::mllog {
namespace {

using nlohmann::json;

constexpr std::string_view mark = ":::MLLOG";

/// The JSON object at the front of `text`, after spaces; empty if there is none or it is cut
/// off.
std::string_view object_at_front(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos || text[begin] != '{') {
    return {};
  }
  int depth = 0;
  bool quoted = false;
  for (auto at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      at += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(begin, at + 1 - begin);
    }
  }
  return {};
}

std::optional<double> number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

/// Submitters write the number in different places.
std::optional<double> epoch_of(const json& object) {
  const auto metadata = object.find("metadata");
  if (metadata != object.end() && metadata->is_object()) {
    for (const auto* name : {"epoch_num", "first_epoch_num"}) {
      if (const auto number = number_in(*metadata, name)) {
        return number;
      }
    }
  }
  return number_in(object, "value");
}

std::string json_text(const json& value) {
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

/// The differences of the values, the first of them from `from`.
std::vector<double> increments(const std::vector<double>& values, double from) {
  std::vector<double> found;
  for (const double value : values) {
    found.push_back(value - from);
    from = value;
  }
  return found;
}

bool grows(const std::vector<double>& values) {
  return values.size() > 1 &&
         std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
}

/// The samples of blocks that state them at both ends (`starts` empty: at the stop only).
std::vector<double> samples_of(const std::vector<double>& starts,
                               const std::vector<double>& stops) {
  if (starts.empty()) {
    return grows(stops) ? increments(stops, 0) : stops;
  }
  if (starts == stops) {
    if (starts.front() == 0) {  // cumulative, of the start
      auto found = increments({starts.begin() + 1, starts.end()}, 0);
      found.push_back(0);
      return found;
    }
    return grows(starts) ? increments(starts, 0) : starts;
  }
  bool chained = true;
  std::vector<double> own;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    chained = chained && (i == 0 || std::abs(starts[i] - stops[i - 1]) < 1);
    own.push_back(stops[i] - starts[i]);
  }
  if (chained || !grows(stops) || std::ranges::any_of(own, [](double one) { return one <= 0; })) {
    return own;
  }
  auto found = increments(stops, 0);  // the start counts something else: batches
  found.front() = starts.front() == 0 ? stops.front() : found[1];
  return found;
}

std::optional<Event> parse_event(std::string_view text, std::size_t line) {
  const auto object = json::parse(text, nullptr, false);
  const auto time_ms = object.is_object() ? number_in(object, "time_ms") : std::nullopt;
  if (!time_ms || !(std::abs(*time_ms) < 9e15) || !object.contains("key") ||
      !object["key"].is_string()) {
    return std::nullopt;
  }
  Event event{.line = line,
              .time_ms = std::llround(*time_ms),
              .key = object["key"],
              .value = json_text(object.value("value", json())),
              .epoch = epoch_of(object)};
  const auto metadata = object.value("metadata", json::object());
  if (metadata.is_object()) {
    event.status = json_text(metadata.value("status", json()));
    event.counts = {
        .samples = number_in(metadata, "samples_count"),
        .step = number_in(metadata, metadata.contains("step_num") ? "step_num" : "step"),
        .epochs = number_in(metadata, "epoch_count")};
  }
  return event;
}

}  // namespace

Events read_events(const std::string& file, std::string_view text) {
  Events found;
  std::size_t line = 0;
  for (const auto& words : split(text, '\n')) {
    ++line;
    for (auto at = words.find(mark); at != std::string::npos;) {
      // What is cut off ends where the next event begins, so that it takes nothing along.
      const auto next = words.find(mark, at + mark.size());
      const auto part = std::string_view(words).substr(at, next - at);
      if (auto event = parse_event(object_at_front(part.substr(mark.size())), line)) {
        found.events.push_back(std::move(*event));
      } else {
        found.remarks.push_back(fmt::format("{}:{}: broken event: '{:.80}'", file, line, part));
      }
      at = next;
    }
  }
  return found;
}

Intervals pair_up(const std::vector<Event>& events, const std::string& key) {
  Intervals found;
  std::map<std::optional<double>, const Event*> open;
  for (const auto& event : events) {
    if (event.key == key + "_start") {
      ++found.events;
      found.restarted += open.contains(event.epoch) ? 1 : 0;
      open[event.epoch] = &event;
    } else if (event.key == key + "_stop") {
      ++found.events;
      const auto start = open.find(event.epoch);
      if (start != open.end() && start->second->time_ms < event.time_ms) {
        found.closed.push_back({event.epoch, start->second->time_ms, event.time_ms,
                                start->second->counts, event.counts});
        open.erase(start);
      }
    }
  }
  found.unclosed = open.size();
  std::stable_sort(found.closed.begin(), found.closed.end(),
                   [](const Interval& a, const Interval& b) { return a.start_ms < b.start_ms; });
  std::int64_t end_ms = found.closed.empty() ? 0 : found.closed.front().start_ms;
  for (const auto& interval : found.closed) {
    found.overlapping += interval.start_ms < end_ms ? 1 : 0;
    end_ms = std::max(end_ms, interval.stop_ms);
  }
  return found;
}

std::vector<BlockWork> works_of(const std::vector<Interval>& blocks) {
  std::vector<double> starts;
  std::vector<double> stops;
  for (const auto& block : blocks) {
    if (block.at_start.samples) {
      starts.push_back(*block.at_start.samples);
    }
    if (block.at_stop.samples) {
      stops.push_back(*block.at_stop.samples);
    }
  }
  std::vector<BlockWork> works;
  if (!blocks.empty() && stops.size() == blocks.size() &&
      (starts.empty() || starts.size() == blocks.size())) {
    for (const double amount : samples_of(starts, stops)) {
      works.push_back({"samples", amount > 0 ? std::optional(amount) : std::nullopt});
    }
    return works;
  }
  for (const auto& block : blocks) {
    const auto steps = block.at_start.step && block.at_stop.step
                           ? std::optional(*block.at_stop.step - *block.at_start.step)
                           : std::nullopt;
    works.push_back(steps && *steps > 0     ? BlockWork{"steps", steps}
                    : block.at_start.epochs ? BlockWork{"count", block.at_start.epochs}
                                            : BlockWork{});
  }
  return works;
}

std::string last_value(const std::vector<Event>& events, std::string_view key) {
  const auto found = std::find_if(events.rbegin(), events.rend(),
                                  [&](const Event& event) { return event.key == key; });
  return found == events.rend() ? "" : found->value;
}

}  // namespace epochcast::progress::mllog
