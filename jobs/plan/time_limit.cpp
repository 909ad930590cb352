#include "jobs/plan/time_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/scheduler/scheduler.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

constexpr double minute_s = 60;

}  // namespace

std::optional<Seconds> least_limit(const ledger::LedgerRow& row, const Cluster& cluster) {
  const auto* site = find_profile(cluster, row.allocation);
  if (site == nullptr || !site->launch.time_min_by_forecast) {
    return std::nullopt;
  }
  const auto least = in_minutes(row.needed_s - (row.high_95_s - row.low_95_s));
  const bool is_shorter = least.value < row.asked_s && least.value > site->launch.signal_lead.value;
  return is_shorter ? std::optional(least) : std::nullopt;
}

void ask_as_forecast(const ledger::LedgerRow& row, const Cluster& cluster, SubmitRequest& request) {
  request.limits[row.point] = {row.asked_s};
  if (const auto least = least_limit(row, cluster)) {
    request.least_limits[row.point] = *least;
  }
  if (!std::isnan(row.memory_asked_bytes)) {
    request.memory[row.point] = {static_cast<std::int64_t>(row.memory_asked_bytes)};
  }
}

Bytes memory_for(double high_bytes) {
  constexpr double step = 16 * mebibyte;
  const double wanted = high_bytes + std::max(margin_share * high_bytes, 32.0 * mebibyte);
  return {static_cast<std::int64_t>(step * std::ceil(wanted / step))};
}

Pieces pieces_for(const JobTime& most, std::int64_t epochs, Seconds limit, Seconds signal_lead) {
  // The longest job that would get this limit, and the time in it that is left to the program.
  const double whole_s = minute_s * std::floor(limit.value / minute_s);
  const double usable_s = without_margin_s(whole_s, signal_lead) - most.before_s;
  if (usable_s <= 0) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(std::ceil(most.program_s / usable_s));
  return {count, (epochs + count - 1) / count};
}

namespace {

/// The longest time limit, and what sets it.
struct Ceiling {
  Seconds limit;
  std::string source;
};

Ceiling ceiling_of(const AllocationProfile& site, bool slurm) {
  const auto answer = slurm ? scheduler().site() : slurm::Site{};
  const auto* bound = slurm::bounding(answer, run::partitions_of(site.asks));
  if (bound != nullptr && std::isfinite(bound->max_time_s)) {
    return {{bound->max_time_s}, fmt::format("partition '{}'", bound->name)};
  }
  return {site.asks.time, fmt::format("allocation '{}'", site.name)};
}

std::string over_limit_text(const ledger::LedgerRow& row, Seconds wanted, const JobTime& most,
                            const AllocationProfile& site, const std::string& out, bool slurm) {
  if (row.epochs <= 0) {
    return fmt::format("needs {}, over the {} of allocation '{}'", to_text(wanted),
                       to_text(site.asks.time), site.name);
  }
  const auto ceiling = ceiling_of(site, slurm);
  if (wanted.value <= ceiling.limit.value) {
    return fmt::format("needs {}, over the {} of allocation '{}'; {} allows {}: set 'time: {}'",
                       to_text(wanted), to_text(site.asks.time), site.name, ceiling.source,
                       to_text(ceiling.limit), to_text(wanted));
  }
  const auto text = fmt::format("needs {}, over the {} of {}", to_text(wanted),
                                to_text(ceiling.limit), ceiling.source);
  const auto pieces = pieces_for(most, row.epochs, ceiling.limit, site.launch.signal_lead);
  if (pieces.count == 0) {
    return text + ", which leaves no time before the signal";
  }
  return fmt::format(
      "{}: run it in {} pieces of about {} epochs with 'time: {}'; each stops with a checkpoint, "
      "and 'epochcast-jobs resubmit {} --timeout' resumes from it",
      text, pieces.count, pieces.epochs, to_text(ceiling.limit), out);
}

}  // namespace

void ask_for_all(ledger::LedgerRow& row, const AllocationProfile& site) {
  row.lead_s = site.launch.signal_lead.value;
  row.asked_s = site.asks.time.value > 0 ? site.asks.time.value : ledger::not_known;
}

void ask_for_limit(ledger::LedgerRow& row, const JobTime& most, const AllocationProfile& site,
                   const std::string& out, bool slurm) {
  const auto [needed_s, limit, fits] = limit_for(most.total_s(), site);
  row.needed_s = needed_s;
  if (fits) {
    row.asked_s = limit.value;
  } else {
    add_remark(row, over_limit_text(row, limit, most, site, out, slurm));
  }
}

void add_remark(ledger::LedgerRow& row, const std::string& text) {
  row.remark += (row.remark.empty() ? "" : "; ") + text;
}

}  // namespace epochcast::jobs
