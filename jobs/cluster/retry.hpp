// What is done about a point whose job ended without its result, by the reason of the end. A
// profile declares it; an experiment replaces single reasons.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/record/run/outcome.hpp"

namespace epochcast::jobs {

/// What is done for one reason.
struct RetryRule {
  std::string action = "none";
  double memory = 1;
  Bytes most = {};
  bool exclude_node = false;
  bool operator==(const RetryRule&) const = default;

  bool submits() const { return action != "none"; }
};

constexpr auto fields_of(Tag<RetryRule>) {
  return FieldTable{
      Field{"action", "1",
            "resume: a further job goes on from the checkpoint; restart: it starts over; requeue: "
            "Slurm itself starts the job again, and it goes on",
            &RetryRule::action, "none|resume|restart|requeue"},
      Field{"memory", "1", "Times the memory that the ended job had asked for, such as 1.5x",
            &RetryRule::memory, ">=1"},
      Field{"most", "B", "The most memory per node to ask for; 0: no bound", &RetryRule::most,
            ">=0"},
      Field{"exclude_node", "1", "The node of the ended job is left out", &RetryRule::exclude_node},
  };
}

/// A reason that can be named.
struct RetryReason {
  std::string_view key;
  std::string_view actions;  ///< Those that make sense; the first where none is given.
  std::string_view meaning;
  std::array<run::FailureCause, 2> causes;
};

inline constexpr std::array retry_reasons{
    RetryReason{"timeout",
                "resume|none",
                "The time limit ended it, or it stopped before that",
                {run::FailureCause::time_limit, run::FailureCause::before_limit}},
    RetryReason{"out_of_memory",
                "resume|restart|none",
                "It was ended for its memory; at the bound it is not submitted again",
                {run::FailureCause::out_of_memory, run::FailureCause::out_of_memory}},
    RetryReason{"preempted",
                "requeue|resume|none",
                "A job of a higher priority took its place",
                {run::FailureCause::preempted, run::FailureCause::preempted}},
    RetryReason{"node_failure",
                "resume|requeue|none",
                "A node of it failed",
                {run::FailureCause::node_failure, run::FailureCause::node_failure}},
    RetryReason{"failed",
                "restart|resume|none",
                "Its program failed or was killed, or its job vanished",
                {run::FailureCause::other, run::FailureCause::none}},
};

struct Retry {
  std::int64_t attempts = 3;
  std::array<RetryRule, retry_reasons.size()> rules = {};
  bool operator==(const Retry&) const = default;

  /// The rule for a cause; one that does nothing if there is none.
  const RetryRule& rule_of(run::FailureCause cause) const;
  RetryRule& rule(std::string_view key);
  /// Whether any rule submits a point again.
  bool submits() const;
  /// Whether Slurm may start a job again.
  bool requeues() const;
};

constexpr auto fields_of(Tag<Retry>) {
  return FieldTable{Field{"attempts", "1",
                          "Attempts at a point in all: jobs, and starts of a job that was requeued",
                          &Retry::attempts, ">=1"}};
}

inline constexpr const char* retry_key = "retry";

/// Reads `retry: {timeout: resume, out_of_memory: {memory: 1.5x, most: 64G}, attempts: 3}` into
/// `retry`; reasons that are not given keep their rule. `retry: none` removes all. Throws Error
/// with file and line.
void read_retry(const run::yaml::Node& node, Retry& retry);

/// The keys, as "retry.timeout".
std::vector<cli::KeyRow> retry_keys();

}  // namespace epochcast::jobs
