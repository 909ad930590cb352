// Passes the answers in a journal on to a stream of Redis, for users whose next step reads from a
// broker.
//
// The journal comes first: answers are durable there before they are passed on, and batch number N
// of the journal becomes the entry N-0, which Redis takes once. So each answer comes once, in
// order, whenever this process or Redis ends; what is missing is passed on later.
#pragma once

#include <cstdint>
#include <string>

#include "src/serving/stream/redis.hpp"

namespace epochcast::stream {

/// Used by one thread.
class ResultsStream {
 public:
  /// Passes on from the journal at `journal` to "redis://HOST:PORT/KEY". Throws Error for another
  /// form.
  ResultsStream(const std::string& url, std::string journal);

  /// Adds the answers that are not there yet: one entry for each batch, with the field "results", a
  /// JSON object. False: Redis does not answer now.
  [[nodiscard]] bool pass_on();

 private:
  RedisPlace place_;
  std::string journal_;
  Redis redis_;
  std::int64_t passed_ = -1;  ///< The last batch that is there; -1: not known.
};

}  // namespace epochcast::stream
