// The producer of a stream: draws batches of items and releases them at fixed times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/record/run/streaming.hpp"
#include "src/serving/stream/batch.hpp"
#include "src/serving/stream/transport.hpp"

namespace epochcast::stream {

/// Items that are drawn for batches.
class Items {
 public:
  virtual ~Items() = default;
  virtual std::size_t size() const = 0;
  virtual Item at(std::size_t index) const = 0;
};

/// The items in `where`: a folder with CIFAR-10 (binary version), or a file in the study's format.
/// "random" stands for pictures of random pixels with random labels, for tests and examples. Throws
/// Error if there are none.
std::unique_ptr<Items> open_items(const std::string& where);

/// Batch `id`: `size` items drawn at random, as the study does. The same arguments give the same
/// batch, so that a producer that starts again needs no memory of its own.
std::vector<Item> draw(const Items& items, std::int64_t id, std::int64_t size, std::int64_t seed);

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
