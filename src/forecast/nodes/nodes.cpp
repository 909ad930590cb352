#include "src/forecast/nodes/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/reference_ratios.hpp"
#include "src/forecast/statistics/regression.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/slurm/host_list.hpp"

namespace epochcast::nodes {
namespace {

using record::Record;

std::vector<std::string> nodes_in(const Record& record) {
  const auto* row = record::allocation_row(record, "node_list");
  try {
    if (row != nullptr && !row->got.view().empty()) {
      return slurm::expand_host_list(row->got.view());
    }
  } catch (const Error&) {  // cut off, or damaged
  }
  std::set<std::string> hosts;
  for (const auto& machine : record.machines) {
    hosts.insert(machine.host.str());
  }
  hosts.erase("");
  return {hosts.begin(), hosts.end()};
}

std::string work_of(const Record& record) {
  auto parameters = record::epoch_parameters(record);
  const auto& header = record.header;
  parameters["of the record"] =
      fmt::format("{} {} {} {}", header.experiment.view(), header.allocation.view(),
                  header.source.view(), record::device_of(record));
  if (!record.work.empty()) {
    parameters["samples"] = std::to_string(record.work.front().samples_per_epoch);
  }
  if (!record.machines.empty()) {
    parameters["libraries"] = record.machines.front().libraries.str();
  }
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}={}\n", name, value);
  }
  return text;
}

/// Why its epochs may not be compared, or "".
std::string why_not_compared(const Record& record) {
  if (record.epochs.empty()) {
    return "no epoch has ended";
  }
  if (auto fault = record::fault_of_attempt(record); !fault.empty()) {
    return fault;
  }
  const auto disturbed = telemetry::disturbance_text(record);
  return disturbed.empty() ? "" : "disturbed: " + disturbed;
}

bool is_on(const NodeAttempt& attempt, const std::string& node) {
  return std::ranges::find(attempt.nodes, node) != attempt.nodes.end();
}

/// Whether a failure of the attempt counts for this node of it.
bool is_failure_of(const NodeAttempt& attempt, const std::string& node) {
  const auto names = [&](const std::string& name) {  // t4-1, not t4-10
    const auto at = attempt.reason.find(name);
    return at != std::string::npos && (at + name.size() == attempt.reason.size() ||
                                       !is_digit(attempt.reason[at + name.size()]));
  };
  return attempt.failed() && (names(node) || std::ranges::none_of(attempt.nodes, names));
}

/// The attempts at a work that may be compared, by their nodes.
using Work = std::vector<const NodeAttempt*>;

class Reports {
 public:
  explicit Reports(std::vector<NodeAttempt> attempts) : attempts_(std::move(attempts)) {
    std::ranges::stable_sort(attempts_, {}, &NodeAttempt::at);
    for (const auto& attempt : attempts_) {
      if (attempt.epoch_s) {
        works_[{attempt.work, attempt.is_first_epoch}].push_back(&attempt);
      }
      for (const auto& node : attempt.nodes) {
        reports_.try_emplace(natural_key(node), NodeReport{.node = node});
      }
    }
    set_scatter();
  }

  std::vector<NodeReport> all() {
    std::vector<NodeReport> reports;
    for (auto& [key, report] : reports_) {
      compare(report);
      count_failures(report);
      reports.push_back(std::move(report));
    }
    return reports;
  }

 private:
  /// How epochs of the same work on the same nodes differ.
  void set_scatter() {
    std::map<std::pair<const Work*, std::vector<std::string>>, std::vector<double>> repeats;
    for (const auto& [name, work] : works_) {
      for (const auto* attempt : work) {
        repeats[{&work, attempt->nodes}].push_back(*attempt->epoch_s);
      }
    }
    scatter_ = pooled_scatter(mapped(repeats, [](const auto& entry) { return entry.second; }));
  }

  /// The difference of the mean logarithms, weighted by works as by independent means.
  void compare(NodeReport& report) const {
    double weights = 0;
    double sum = 0;
    for (const auto& [name, work] : works_) {
      std::vector<double> own;
      std::vector<double> others;
      for (const auto* attempt : work) {
        (is_on(*attempt, report.node) ? own : others).push_back(std::log(*attempt->epoch_s));
      }
      if (own.empty() || others.empty()) {
        continue;
      }
      report.compared += own.size();
      report.others += others.size();
      const double weight = static_cast<double>(own.size() * others.size()) /
                            static_cast<double>(own.size() + others.size());
      weights += weight;
      sum += weight * (*mean(own) - *mean(others));
    }
    if (weights == 0) {
      return;
    }
    report.ratio = std::exp(sum / weights);
    if (scatter_) {
      const double half_width = forecast::student_half_width(level, scatter_->freedom) *
                                scatter_->deviation / std::sqrt(weights);
      report.low = *report.ratio * std::exp(-half_width);
      report.high = *report.ratio * std::exp(half_width);
    }
  }

  bool was_completed_elsewhere(const NodeAttempt& failed, const std::string& node) const {
    return std::ranges::any_of(attempts_, [&](const NodeAttempt& other) {
      return other.outcome == run::Outcome::complete && other.work == failed.work &&
             !is_on(other, node);
    });
  }

  void count_failures(NodeReport& report) const {
    for (const auto& attempt : attempts_) {
      if (!is_on(attempt, report.node)) {
        continue;
      }
      ++report.attempts;
      if (!is_failure_of(attempt, report.node)) {
        const bool ended_well =
            attempt.outcome == run::Outcome::complete || attempt.outcome == run::Outcome::stopped;
        report.in_a_row = ended_well ? 0 : report.in_a_row;
        continue;
      }
      ++report.failures[attempt.cause];
      const bool unknown =
          attempt.cause == run::FailureCause::other || attempt.cause == run::FailureCause::none;
      if (attempt.cause == run::FailureCause::node_failure ||
          (unknown && was_completed_elsewhere(attempt, report.node))) {
        ++report.in_a_row;
        report.last_failure = fmt::format("{}: {}", attempt.at, attempt.reason);
      }
    }
  }

  std::vector<NodeAttempt> attempts_;
  std::map<std::pair<std::string, bool>, Work> works_;
  std::map<decltype(natural_key("")), NodeReport> reports_;
  std::optional<Scatter> scatter_;
};

}  // namespace

NodeAttempt attempt_of(const Record& record) {
  const auto& header = record.header;
  NodeAttempt attempt{.nodes = nodes_in(record),
                      .at = header.created_at.str(),
                      .outcome = record::outcome_of(header),
                      .cause = record::cause_of(header),
                      .reason = printable(header.outcome_text.view()),
                      .work = work_of(record),
                      .epoch_s = {},
                      .is_first_epoch = record.epochs.size() == 1,
                      .not_compared = why_not_compared(record)};
  if (!attempt.not_compared.empty()) {
    return attempt;
  }
  const auto epoch_s = forecast::typical_epoch_s(mapped(record.epochs, &record::Epoch::wall_s),
                                                 record.epochs.size());
  if (epoch_s > 0) {
    attempt.epoch_s = epoch_s;
  } else {
    attempt.not_compared = "its epochs took no time";
  }
  return attempt;
}

std::vector<NodeReport> nodes_of(std::vector<NodeAttempt> attempts) {
  return Reports(std::move(attempts)).all();
}

std::string why_exclude(const NodeReport& node, std::int64_t failures) {
  if (node.in_a_row >= failures) {
    return fmt::format("{}: its last {} failed, the latest {}", node.node,
                       counted(node.in_a_row, "attempt"), node.last_failure);
  }
  if (node.low && *node.low > 1 + slow_by) {
    return fmt::format(
        "{}: the same work takes {:.0f} % longer than on other nodes ({:.0f} to {:.0f} %, by {} "
        "beside {})",
        node.node, 100 * (*node.ratio - 1), 100 * (*node.low - 1), 100 * (*node.high - 1),
        counted(node.compared, "run"), node.others);
  }
  return "";
}

}  // namespace epochcast::nodes
