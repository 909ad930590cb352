#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/advise/advice.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

constexpr double seconds_per_hour = 3600;

double distance(double a, double b) {
  return std::sqrt(a * a + b * b);
}

/// The sum of two independent numbers.
Estimate sum(const Estimate& a, const Estimate& b) {
  const double median_s = a.median_s + b.median_s;
  const double down_s =
      distance(a.median_s - a.interval_80.low_s, b.median_s - b.interval_80.low_s);
  const double up_s =
      distance(a.interval_80.high_s - a.median_s, b.interval_80.high_s - b.median_s);
  return {median_s, {std::max(0.0, median_s - down_s), median_s + up_s}};
}

run::Usage usage_of(const run::Allocation& asks, double seconds) {
  const double hours = seconds / seconds_per_hour;
  const auto tasks = static_cast<double>(run::tasks_of(asks));
  return {.wall_h = hours,
          .cpu_hours = hours * tasks * static_cast<double>(asks.cpus),
          .gpu_hours = hours * static_cast<double>(run::gpus_of(asks)),
          .node_hours = hours * static_cast<double>(asks.nodes),
          .granted = true};
}

JobTime most_of(const RunForecast& run) {
  return {.before_s = run.before_s, .program_s = run.high_95_s - run.before_s};
}

}  // namespace

void set_limit(AdviceRow& row, double most_limit_s) {
  const auto& asks = row.site.asks;
  row.pieces = {1, row.run.epochs};
  row.limit_s = asks.time.value;
  row.limit_detail = "the allocation's: without a forecast";
  if (!row.run.is_known() || std::isnan(row.run.high_95_s)) {
    return;
  }
  const auto most = most_of(row.run);
  const auto wanted =
      in_minutes(most.total_s() + margin_s(most.total_s(), row.site.launch.signal_lead));
  if (wanted.value <= most_limit_s) {
    row.limit_s = wanted.value;
    row.limit_detail = fmt::format("at most {} (95 %), and the margin of 'plan'",
                                   format_duration(std::ceil(most.total_s())));
    if (asks.time.value > 0 && wanted.value > asks.time.value) {
      row.limit_detail += fmt::format("; more than the {} of the profile, which the site allows",
                                      to_text(asks.time));
    }
    return;
  }
  row.limit_s = most_limit_s;
  row.pieces = pieces_for(most, std::max<std::int64_t>(1, row.run.epochs), {most_limit_s},
                          row.site.launch.signal_lead);
  row.limit_detail = fmt::format("needs {}, the longest limit is {}", to_text(wanted),
                                 to_text(Seconds{most_limit_s}));
}

void set_result(AdviceRow& row) {
  if (!row.run.is_known()) {
    return;
  }
  row.usage = usage_of(row.site.asks, row.run.median_s);
  row.money = run::money_of(row.usage, row.site.prices);
  row.money_high =
      run::money_of(usage_of(row.site.asks, row.run.interval_80.high_s), row.site.prices);
  if (row.run.j_per_epoch && row.run.epochs > 0) {
    row.energy_j = *row.run.j_per_epoch * static_cast<double>(row.run.epochs);
  }
  if (row.wait.gap_s && row.run.epochs > 0 && !std::isnan(row.run.high_95_s)) {
    const double longest_s = std::min(*row.wait.gap_s, row.limit_s);
    row.gap_pieces =
        pieces_for(most_of(row.run), row.run.epochs, {longest_s}, row.site.launch.signal_lead);
  }
  if (!row.wait.chosen || row.pieces.count == 0) {
    return;
  }
  const auto& wait = row.wait.chosen->wait;
  Estimate total{row.run.median_s, row.run.interval_80};
  for (std::int64_t piece = 0; piece < row.pieces.count; ++piece) {
    total = sum(total, {wait.median_s, wait.interval_80});
  }
  row.result = total;
}

}  // namespace epochcast::jobs
