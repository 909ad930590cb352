#include "src/measure/operators/sums.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace epochcast::operators {
namespace {

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

struct Call {
  const Event* event = nullptr;
  Call* parent = nullptr;
  std::vector<Call*> children = {};
  std::int64_t kernels_ns = 0;  ///< Of its own kernels.
  bool merged = false;          ///< Into its parent.

  bool nests() const { return !event->on_device && !event->is_async; }
  std::int64_t total_ns() const { return event->end_ns - event->start_ns; }
  std::int64_t self_ns() const {
    std::int64_t left = total_ns();
    for (const auto* child : children) {
      left -= child->total_ns();
    }
    return left;
  }
  std::int64_t device_ns() const {
    std::int64_t sum = kernels_ns;
    for (const auto* child : children) {
      sum += child->device_ns();
    }
    return sum;
  }
};

bool begins_before(const Event& a, const Event& b) {
  return std::tuple(a.start_ns, -a.end_ns) < std::tuple(b.start_ns, -b.end_ns);
}

/// Kernels to their calls; what the runtime did on the host for a call goes to the call's thread.
void link(std::vector<Event>& events, std::vector<Call>& calls) {
  std::unordered_map<std::uint64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].linked_id == 0 && calls[i].nests()) {
      by_id[events[i].id] = i;
    }
  }
  for (auto& event : events) {
    const auto found = event.linked_id == 0 ? by_id.end() : by_id.find(event.linked_id);
    if (found == by_id.end()) {
      continue;
    }
    if (event.on_device) {
      calls[found->second].kernels_ns += event.end_ns - event.start_ns;
    } else {
      event.thread = events[found->second].thread;
    }
  }
}

/// `calls` are in order of their start.
void nest(std::vector<Call>& calls) {
  std::unordered_map<std::uint64_t, std::vector<Call*>> open_by_thread;
  for (auto& call : calls) {
    if (!call.nests()) {
      continue;
    }
    auto& open = open_by_thread[call.event->thread];
    while (!open.empty() && (call.event->start_ns >= open.back()->event->end_ns ||
                             call.event->end_ns > open.back()->event->end_ns)) {
      open.pop_back();
    }
    if (!open.empty()) {
      call.parent = open.back();
      open.back()->children.push_back(&call);
    }
    open.push_back(&call);
  }
}

void merge_only_children(std::vector<Call>& calls) {
  for (auto& call : calls) {
    auto* parent = call.parent;
    if (parent == nullptr || parent->event->name != call.event->name ||
        parent->children.size() != 1) {
      continue;
    }
    parent->children = call.children;
    parent->kernels_ns = call.kernels_ns;
    for (auto* child : call.children) {
      child->parent = parent;
    }
    call.merged = true;
  }
}

/// Who computes: marks the calls whose time is the time of counted work.
class WorkingCalls {
 public:
  explicit WorkingCalls(const WorkByName& work) : work_(work) {}

  void mark(const Call& call) {
    if (const auto* own = counted_work(call); own != nullptr && own->flops > 0) {
      working_.push_back(&call);
      return;
    }
    const auto before = working_.size();
    for (const auto* child : call.children) {
      mark(*child);
    }
    if (working_.size() == before && counted_work(call) != nullptr) {
      working_.push_back(&call);
    }
  }
  const std::vector<const Call*>& all() const { return working_; }

 private:
  const CountedWork* counted_work(const Call& call) const {
    const auto found = work_.find(call.event->name);
    return found == work_.end() ? nullptr : &found->second;
  }

  const WorkByName& work_;
  std::vector<const Call*> working_;
};

/// What both kinds of rows sum.
template <class Row>
void add_times(Row& row, const Call& call) {
  ++row.calls;
  row.cpu_total_s += seconds(call.total_ns());
  row.self_cpu_s += call.nests() ? seconds(call.self_ns()) : 0;
  row.device_total_s += call.nests() ? seconds(call.device_ns()) : 0;
  row.self_device_s += call.nests() ? seconds(call.kernels_ns) : 0;
}

class Summing {
 public:
  explicit Summing(OperatorSums& sums) : sums_(sums) {}

  record::Operator& row(const std::string& name, std::string_view place) {
    const auto [found, is_new] =
        rows_.try_emplace({name, std::string(place)}, sums_.operators.size());
    if (is_new) {
      sums_.operators.push_back({.name = name, .place = place});
    }
    return sums_.operators[found->second];
  }

  void add(const Call& call) {
    const auto& event = *call.event;
    if (event.on_device) {
      auto& kernel = row(event.name, event.is_annotation ? "annotation" : "device");
      const double s = seconds(call.total_ns());
      ++kernel.calls;
      kernel.self_device_s += s;
      kernel.device_total_s += s;
      sums_.self_device_s += event.is_annotation ? 0 : s;
      return;
    }
    add_times(row(event.name, "host"), call);
    sums_.self_cpu_s += call.nests() ? seconds(call.self_ns()) : 0;
    if (!event.shapes.empty()) {
      add_times(shape_row(event), call);
    }
  }

 private:
  record::OperatorShape& shape_row(const Event& event) {
    const auto [found, is_new] =
        shape_rows_.try_emplace({event.name, event.shapes}, sums_.shapes.size());
    if (is_new) {
      sums_.shapes.push_back({.name = event.name, .shapes = event.shapes});
    }
    return sums_.shapes[found->second];
  }

  using Key = std::pair<std::string, std::string>;
  OperatorSums& sums_;
  std::map<Key, std::size_t> rows_;
  std::map<Key, std::size_t> shape_rows_;
};

}  // namespace

OperatorSums sum_by_operator(std::vector<Event> events, const WorkByName& work) {
  std::ranges::stable_sort(events, begins_before);
  std::vector<Call> calls(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    calls[i].event = &events[i];
  }
  link(events, calls);
  nest(calls);
  merge_only_children(calls);
  OperatorSums sums;
  Summing summing(sums);
  WorkingCalls working(work);
  for (const auto& call : calls) {
    if (!call.merged) {
      summing.add(call);
    }
    if (call.parent == nullptr && call.nests()) {
      working.mark(call);
    }
  }
  for (const auto* call : working.all()) {
    summing.row(call->event->name, "host").work_s +=
        seconds(sums.self_device_s > 0 ? call->device_ns() : call->total_ns());
  }
  for (auto& row : sums.operators) {
    const auto found = work.find(row.name.view());
    if (found != work.end() && row.place.view() == "host" && found->second.calls > 0) {
      const auto& counted = found->second;
      const double times = static_cast<double>(row.calls) / static_cast<double>(counted.calls);
      row.flops = counted.flops * times;
      row.convolution_flops = counted.convolution_flops * times;
      row.bytes = counted.bytes * times;
    }
  }
  return sums;
}

}  // namespace epochcast::operators
