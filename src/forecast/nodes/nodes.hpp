// What attempts say of the nodes that they ran on: where the same work takes longer than elsewhere,
// and where attempts fail. The one computation behind `table nodes` and `exclude: auto`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/record/record.hpp"
#include "src/record/run/outcome.hpp"

namespace epochcast::nodes {

/// A node is slow if its time is above that of the other nodes by more than this share with the
/// certainty of the interval.
inline constexpr double slow_by = 0.05;
inline constexpr double level = 0.95;    ///< Of the interval.
inline constexpr std::int64_t days = 7;  ///< `exclude: auto` looks at attempts of so many days.

/// An attempt, as far as its nodes are concerned.
struct NodeAttempt {
  std::vector<std::string> nodes;  ///< As the scheduler calls them, else the names of the hosts.
  std::string at;                  ///< Its start, in ISO 8601.
  run::Outcome outcome = run::Outcome::unknown;
  run::FailureCause cause = run::FailureCause::none;
  std::string reason;             ///< Of its end, one line.
  std::string work;               ///< The same for attempts whose epochs do the same work.
  std::optional<double> epoch_s;  ///< A typical epoch, if it may be compared.
  bool is_first_epoch = false;    ///< It has no later one, and so compares with such only.
  std::string not_compared;       ///< Why it may not.

  bool failed() const { return outcome == run::Outcome::failed || outcome == run::Outcome::lost; }
};

/// Needs no steps of the record.
NodeAttempt attempt_of(const record::Record& record);

/// What is known of a node.
struct NodeReport {
  std::string node;
  std::size_t attempts = 0;
  std::size_t compared = 0;  ///< Of these: beside attempts at the same work on other nodes ...
  std::size_t others = 0;    ///< ... so many.
  /// Its time over that of the other nodes, a mean over the works, and its interval, which needs
  /// repeats of a work on a node. An attempt on several nodes counts for each of them.
  std::optional<double> ratio = {};
  std::optional<double> low = {};
  std::optional<double> high = {};
  /// By cause. One on several nodes counts for the node that its reason names, else for each.
  std::map<run::FailureCause, std::size_t> failures = {};
  std::int64_t in_a_row =
      0;  ///< Failures that may be the node's, since an attempt that did not fail.
  std::string last_failure = {};  ///< Of those: time and reason.
};

/// By the names of the nodes, numbers in them by value.
///
/// A failure may be the node's if a node failed, or if it has no known cause and the same work was
/// completed on another node. Others (time limit, memory, cancelled, a program that fails
/// everywhere) neither count nor end a row.
std::vector<NodeReport> nodes_of(std::vector<NodeAttempt> attempts);

/// "t4-02: its last 2 attempts failed (...)": why a job should not run there; "": it may.
std::string why_exclude(const NodeReport& node, std::int64_t failures);

}  // namespace epochcast::nodes
