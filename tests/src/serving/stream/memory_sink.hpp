// A sink in memory. It may refuse commits for a while, as a full disk does.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "src/serving/stream/sink.hpp"

namespace epochcast::stream {

/// A batch with one text, for transports.
inline const std::string small_document = R"([{"text": "a"}])";

/// The StopRequested of a test that does not stop.
inline bool never() {
  return false;
}

class MemorySink final : public Sink {
 public:
  std::string id() const override { return "memory"; }
  std::int64_t last_done(const std::string& source) const override {
    const std::lock_guard lock(mutex_);
    const auto found = last_.find(source);
    return found == last_.end() ? none : found->second;
  }
  std::int64_t first_done(const std::string& source) const override {
    const std::lock_guard lock(mutex_);
    for (const auto& batch : batches_) {
      if (batch.source == source) {
        return batch.id;
      }
    }
    return none;
  }
  std::optional<std::uint64_t> content_of(const std::string& source,
                                          std::int64_t id) const override {
    const std::lock_guard lock(mutex_);
    for (const auto& batch : batches_) {
      if (batch.source == source && batch.id == id) {
        return batch.content;
      }
    }
    return std::nullopt;
  }
  std::int64_t batches_done() const override {
    const std::lock_guard lock(mutex_);
    return std::ssize(batches_);
  }
  void commit(const AnsweredBatch& batch) override {
    const std::lock_guard lock(mutex_);
    if (refusals_left > 0) {
      --refusals_left;
      throw NotNow("disk full");
    }
    batches_.push_back(batch);
    last_[batch.source] = batch.id;
  }
  void commit_id(const std::string& source, std::int64_t id, std::uint64_t content = 0) {
    AnsweredBatch batch;
    batch.content = content;
    batch.source = source;
    batch.id = id;
    commit(batch);
  }
  std::vector<AnsweredBatch> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

  int refusals_left = 0;  ///< Set before the first commit.

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> last_;
  std::vector<AnsweredBatch> batches_;
};

}  // namespace epochcast::stream
