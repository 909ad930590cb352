// Where the answers of a stream go, together with the progress of its sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast::stream {

/// The answer to the item at this place of its batch.
struct Answer {
  std::int64_t chosen = -1;  ///< Number of the class; -1: the item was refused.
  double score = 0;          ///< Its probability.
  std::int64_t label = -1;   ///< The right class; -1: not known.
  std::string refused;       ///< Why there is no class.
};

/// Times are seconds since 1970.
struct AnsweredBatch {
  std::string source;
  std::int64_t id = 0;
  std::uint64_t content = 0;  ///< content_hash
  double triggered = 0;
  double received = 0;
  double start = 0;
  double end = 0;
  std::vector<Answer> answers;  ///< One for each item, in order.
};

/// The answers cannot be kept now, for example because the disk is full. Nothing of the batch was
/// kept; the same commit may succeed later.
class NotNow : public RunError {
 public:
  using RunError::RunError;
};

/// commit() may be called from another thread than the questions.
class Sink {
 public:
  static constexpr std::int64_t none = -1;

  virtual ~Sink() = default;

  /// A name that no other sink has, the same after a restart.
  virtual std::string id() const = 0;

  /// The highest id of a batch of `source` whose answers are durable; `none`: there is none.
  virtual std::int64_t last_done(const std::string& source) const = 0;

  /// The lowest id of such a batch; `none`: there is none.
  virtual std::int64_t first_done(const std::string& source) const = 0;

  /// content_hash of a batch with durable answers; std::nullopt: there is no such batch.
  virtual std::optional<std::uint64_t> content_of(const std::string& source,
                                                  std::int64_t id) const = 0;

  /// The number of batches with durable answers, of all sources.
  virtual std::int64_t batches_done() const = 0;

  /// Makes the answers and the progress of the source durable, both or neither. Throws NotNow if it
  /// may be tried again, and RunError if another process has taken over the sink.
  virtual void commit(const AnsweredBatch& batch) = 0;
};

}  // namespace epochcast::stream
