// What a profiler recorded of a program, one event for each call and each kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::operators {

struct Event {
  std::string name;
  std::string shapes = {};   ///< Of the inputs, as Python prints them; empty: not recorded.
  std::uint64_t thread = 0;  ///< On which the call began.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t id = 0;         ///< Correlation id of the call.
  std::uint64_t linked_id = 0;  ///< Of a kernel: the id of the call that started it; 0: none.
  bool on_device = false;       ///< A kernel.
  bool is_async = false;        ///< Ends on another thread: has no children and no self time.
  bool is_annotation = false;   ///< Of the device: a range that the user named, not a kernel.
};

/// Shapes as Python prints a list of lists: "[[8, 3], [3], []]".
std::string shapes_text(const std::vector<std::vector<std::int64_t>>& shapes);

/// The events that lie within one of `windows` (start and end in ns, in order), whatever their
/// thread; kernels belong to the window of the call that started them. Calls that PyTorch leaves
/// out of its tables are dropped: aten::is_leaf, aten::output_nr, aten::_version, records of
/// memory, the profiler's own.
std::vector<Event> events_within(std::vector<Event> events,
                                 const std::vector<std::pair<std::int64_t, std::int64_t>>& windows);

}  // namespace epochcast::operators
