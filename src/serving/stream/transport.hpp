// How batches come from a producer to a consumer: one file of transports/ for each way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/serving/stream/batch.hpp"
#include "src/serving/stream/sink.hpp"

namespace epochcast::stream {

/// Asked between waits; true: end now.
using StopRequested = std::function<bool()>;

struct Delivery {
  Batch batch;
  std::string receipt = {};  ///< The transport's own.
};

/// The consumer's end. All calls come from one thread.
class Source {
 public:
  virtual ~Source() = default;

  /// The next batch; std::nullopt if none came within `patience_s`. The batches of one source come
  /// in the order of their ids, each once to a Source object. One whose answers are durable already
  /// (Sink::last_done) does not come again.
  virtual std::optional<Delivery> next(double patience_s) = 0;

  /// The answers to the batch are durable; the transport may forget it.
  virtual void done(const Delivery& delivery) = 0;

  /// Where producers reach this source, if they do not know it already.
  virtual std::string address() const { return ""; }
};

/// The producer's end.
class Target {
 public:
  virtual ~Target() = default;

  /// The id of the batch to release next: 1, or the one after those that an earlier producer of
  /// this source has released. False: `stop` became true before it was known.
  [[nodiscard]] virtual bool find_next(std::int64_t& next, const StopRequested& stop) = 0;

  /// Releases a batch; waits while too many are not answered. False: `stop` became true, and the
  /// batch may not have been released.
  [[nodiscard]] virtual bool release(std::int64_t id, const std::string& document,
                                     const StopRequested& stop) = 0;

  /// Called several times a second while the next batch is not due.
  virtual void tend() {}

  /// Waits until no batch depends on this process any more. False: `stop` became true before.
  [[nodiscard]] virtual bool finish(const StopRequested& stop) = 0;
};

/// The place of the producer's end.
struct TargetPlace {
  std::string where;        ///< The part of the URL after the scheme.
  std::string source;       ///< Name of the stream.
  std::int64_t window = 1;  ///< Most batches that are released and not answered.
};

struct TransportSpec {
  std::string summary;
  std::string form;  ///< "folder:PATH"
  std::function<std::unique_ptr<Source>(const std::string& where, const Sink& sink)> open_source;
  std::function<std::unique_ptr<Target>(const TargetPlace& place)> open_target;
};

namespace transports {
/// All transports by their scheme.
const std::map<std::string, TransportSpec>& all();
}  // namespace transports

/// Opens "SCHEME:WHERE". Throws Error for an unknown scheme, and if the place is not usable.
std::unique_ptr<Source> open_source(const std::string& url, const Sink& sink);

/// The same for a producer. "@FILE" stands for the address that a consumer on TCP has written to
/// the file, now or later.
std::unique_ptr<Target> open_target(const std::string& url, const TargetPlace& place);

/// "folder:PATH, tcp://HOST:PORT"
std::string transport_forms();

}  // namespace epochcast::stream
