// The producer of a stream: releases batches at fixed times.
#pragma once

#include <functional>
#include <string>

#include "src/base/core/clock.hpp"
#include "src/record/run/streaming.hpp"
#include "src/serving/stream/items.hpp"
#include "src/serving/stream/transport.hpp"

namespace epochcast::stream {

struct ProducerParts {
  const Items& items;
  Target& target;
  const Clock& clock;
  run::ProduceOptions options;
  std::string source;
  std::int64_t seed = 1;
  StopRequested stop = [] { return false; };
  std::function<void(std::int64_t id, std::int64_t size)> on_release = [](auto, auto) {};
};

/// Releases batches 1 to ProduceOptions::batches, or those that an earlier producer of this source
/// has not released. False: `stop` became true before.
[[nodiscard]] bool produce(const ProducerParts& parts);

}  // namespace epochcast::stream
