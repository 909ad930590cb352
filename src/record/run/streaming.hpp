// The settings of a stream: what a producer releases and how a consumer answers it. Keys `stream:`
// of an experiment, options of `epochcast-stream produce` and `epochcast-train stream`, and
// parameters of the record follow from the tables.
#pragma once

#include <cstdint>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::run {

/// What a producer releases. The defaults are those of the study.
struct ProduceOptions {
  std::int64_t batches = 16;
  std::int64_t batch = 5;
  bool grow = true;
  Seconds every = {5};
  std::int64_t window = 16;
};

constexpr auto fields_of(Tag<ProduceOptions>) {
  return FieldTable{
      Field{"batches", "batches", "Batches to release", &ProduceOptions::batches, ">=1"},
      Field{"batch", "items", "Items of the first batch", &ProduceOptions::batch, ">=1"},
      Field{"grow", "1", "Batch k has k times as many items as the first; false: all have as many",
            &ProduceOptions::grow},
      Field{"every", "s", "Time between the releases of two batches (0s: none)",
            &ProduceOptions::every, ">=0"},
      Field{"window", "batches",
            "Most batches that are released and not answered; the producer then waits",
            &ProduceOptions::window, ">=1"},
  };
}

/// How a consumer answers.
struct ConsumeOptions {
  std::int64_t batches = 0;
  std::int64_t forward = 32;
  std::int64_t ahead = 2;
  Seconds idle = {};
};

constexpr auto fields_of(Tag<ConsumeOptions>) {
  return FieldTable{
      Field{"batches", "batches",
            "End when so many batches are answered, by this attempt and those before (0: do not)",
            &ConsumeOptions::batches, ">=0"},
      Field{"forward", "inputs", "Most inputs of a forward pass", &ConsumeOptions::forward, ">=1"},
      Field{"ahead", "batches", "Most batches that wait between two stages of the consumer",
            &ConsumeOptions::ahead, ">=1"},
      Field{"idle", "s", "End when no batch has come for this time (0s: do not)",
            &ConsumeOptions::idle, ">=0"},
  };
}

}  // namespace epochcast::run
