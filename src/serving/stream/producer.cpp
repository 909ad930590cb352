#include "src/serving/stream/producer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"

namespace epochcast::stream {
namespace {

constexpr double step_s = 0.05;  ///< A request to stop is noticed after this time.

/// False: `stop` became true before.
bool wait_until(double time_s, const ProducerParts& parts) {
  for (;;) {
    if (parts.stop()) {
      return false;
    }
    parts.target.tend();
    const double left_s = time_s - parts.clock.now_s();
    if (left_s <= 0) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, step_s)));
  }
}

}  // namespace

bool produce(const ProducerParts& parts) {
  std::int64_t next = 0;
  if (!parts.target.find_next(next, parts.stop)) {
    return false;
  }
  double due_s = parts.clock.now_s();
  for (std::int64_t id = next; id <= parts.options.batches; ++id) {
    if (!wait_until(due_s, parts)) {
      return false;
    }
    const auto size = parts.options.grow ? parts.options.batch * id : parts.options.batch;
    auto items = draw(parts.items, id, size, parts.seed);
    const Batch batch{
        .source = parts.source, .id = id, .triggered = wall_clock_s(), .items = std::move(items)};
    if (!parts.target.release(id, to_json(batch), parts.stop)) {
      return false;
    }
    parts.on_release(id, size);
    due_s += parts.options.every.value;
  }
  return parts.target.finish(parts.stop);
}

}  // namespace epochcast::stream
