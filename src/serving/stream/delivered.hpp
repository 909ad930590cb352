// Which batch of each source was delivered last, so that a transport delivers each one once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "src/serving/stream/sink.hpp"

namespace epochcast::stream {

class Delivered {
 public:
  explicit Delivered(const Sink& sink) : sink_(sink) {}

  /// The id of the last batch that was delivered, or whose answers are durable; Sink::none: there
  /// is none.
  std::int64_t last(const std::string& source) const {
    const auto found = last_.find(source);
    const auto done = sink_.last_done(source);
    return found == last_.end() ? done : std::max(found->second, done);
  }
  /// The same for the first batch.
  std::int64_t first(const std::string& source) const {
    const auto found = first_.find(source);
    const auto done = sink_.first_done(source);
    return done != Sink::none || found == first_.end() ? done : found->second;
  }
  void note(const std::string& source, std::int64_t id) {
    first_.emplace(source, id);
    last_[source] = id;
  }
  bool is_durable(const std::string& source, std::int64_t id) const {
    return id <= sink_.last_done(source);
  }

 private:
  const Sink& sink_;
  std::map<std::string, std::int64_t> first_;
  std::map<std::string, std::int64_t> last_;
};

}  // namespace epochcast::stream
