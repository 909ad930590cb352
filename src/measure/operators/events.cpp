#include "src/measure/operators/events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace epochcast::operators {
namespace {

using Window = std::pair<std::int64_t, std::int64_t>;

/// torch/autograd/profiler_util.py, _filter_name.
constexpr std::array<std::string_view, 8> hidden_names{"[memory]",
                                                       "[OutOfMemory]",
                                                       "profiler::_record_function_enter",
                                                       "profiler::_record_function_enter_new",
                                                       "profiler::_record_function_exit",
                                                       "aten::is_leaf",
                                                       "aten::output_nr",
                                                       "aten::_version"};

bool is_hidden(const Event& event) {
  return std::ranges::find(hidden_names, event.name) != hidden_names.end();
}

bool lies_within(const Event& event, const std::vector<Window>& windows) {
  return std::ranges::any_of(windows, [&](const Window& window) {
    return event.start_ns >= window.first && event.end_ns <= window.second;
  });
}

}  // namespace

std::string shapes_text(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::vector<std::string> parts;
  parts.reserve(shapes.size());
  for (const auto& shape : shapes) {
    parts.push_back(fmt::format("[{}]", fmt::join(shape, ", ")));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::vector<Event> events_within(std::vector<Event> events, const std::vector<Window>& windows) {
  std::unordered_set<std::uint64_t> kept_calls;
  std::vector<Event> kept;
  for (auto& event : events) {
    if (!event.on_device && !is_hidden(event) && lies_within(event, windows)) {
      kept_calls.insert(event.id);
      kept.push_back(std::exchange(event, {}));
    }
  }
  for (auto& event : events) {
    const bool belongs =
        event.linked_id > 0 ? kept_calls.contains(event.linked_id) : lies_within(event, windows);
    if (event.on_device && !is_hidden(event) && belongs) {
      kept.push_back(std::move(event));
    }
  }
  return kept;
}

}  // namespace epochcast::operators
