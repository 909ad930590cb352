// The bounded queue of a service, and the thread that takes micro-batches from it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "src/training/loop/predictor.hpp"

namespace epochcast::serve {

struct BatchOptions {
  std::size_t batch = 32;  ///< Most inputs of a micro-batch.
  double wait_s = 0.005;   ///< Longest time that an input waits for others.
  std::size_t queue = 1024;
};

/// The answers to all inputs of a request, or why there are none.
struct Outcome {
  std::vector<Scores> scores;
  std::string failure = {};
  bool stopped = false;    ///< The service ended first.
  bool abandoned = false;  ///< Nobody waited for it any more when it was its turn.
};

class Batcher {
 public:
  using Done = std::function<void(Outcome)>;
  using Measured = std::function<void(std::size_t inputs, double seconds)>;
  enum class Admission { accepted, full, stopped };
  enum class Health { warming, ready, failing };

  /// Starts the thread, which first calls `warm_up`; it alone calls `predictor.predict`. `measured`
  /// is called after each forward pass.
  Batcher(Predictor& predictor, const BatchOptions& options, std::function<void()> warm_up,
          Measured measured);
  /// As stop.
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  using Abandoned = std::shared_ptr<const std::atomic<bool>>;

  /// Takes all inputs of a request (at least one) or, if there is no room, none. `done` is called
  /// once, on the thread of the batches, if they were accepted. Inputs that still wait when
  /// `abandoned` (may be null) has become true are not computed.
  Admission submit(std::vector<std::unique_ptr<Input>> inputs, Done done,
                   Abandoned abandoned = nullptr);

  /// Inputs that wait for a batch.
  std::size_t waiting() const;
  /// Inputs that were not computed because their request was abandoned, so far.
  std::size_t abandoned() const;
  /// How long those that wait will take, from the batches so far.
  double backlog_s() const;
  Health health() const;
  /// Why the warm-up or the last batch failed; "": it did not.
  std::string failure() const;

  /// Ends after the batch in progress; what waits then is `stopped`.
  void stop();

 private:
  /// The inputs of one request.
  struct Work {
    std::vector<std::unique_ptr<Input>> inputs;
    std::vector<Scores> scores;
    std::size_t unanswered = 0;
    Done done;  ///< Empty once it was called.
    Abandoned abandoned;

    bool is_abandoned() const { return abandoned != nullptr && *abandoned; }
  };
  struct Waiting {
    std::shared_ptr<Work> work;
    std::size_t index = 0;
    double since_s = 0;
  };

  void run();
  void warm_up();
  bool take_batch(std::vector<Waiting>& batch);
  bool wait_for_inputs();
  void choose(std::vector<Waiting>& batch);
  void drop_abandoned();
  void answer(const std::vector<Waiting>& batch);
  void forget_rest(const std::vector<Waiting>& batch);
  std::vector<Scores> predict(std::span<const Input* const> inputs);
  std::vector<Scores> predict_once(std::span<const Input* const> inputs);
  void set_failure(const std::string& failure);
  static void finish(Work& work, Outcome outcome);

  Predictor& predictor_;
  const BatchOptions options_;
  const std::function<void()> warm_up_;
  const Measured measured_;
  mutable std::mutex mutex_;  ///< Of what follows.
  std::condition_variable wake_;
  std::deque<Waiting> queue_;
  std::size_t abandoned_ = 0;
  double input_s_ = 0;  ///< Moving average of the seconds of a batch by its inputs.
  std::string failure_;
  bool warm_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

/// The places of at most `most` inputs, ascending; `lengths` are those of all that wait, the oldest
/// first. The oldest is always among them, so none waits forever. The others are those nearest to
/// its length, the older first, and at most about twice as long or half as long: a batch is padded
/// to its longest input, so an input of 500 tokens would make twenty short ones cost as much.
std::vector<std::size_t> choose_batch(std::span<const std::int64_t> lengths, std::size_t most);

}  // namespace epochcast::serve
