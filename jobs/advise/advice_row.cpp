#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/advise/advice.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_use.hpp"

namespace epochcast::jobs {
namespace {

constexpr double seconds_per_hour = 3600;

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
  return {.before_s = run.before_s, .program_s = run.time_s.interval_95.high - run.before_s};
}

}  // namespace

void set_limit(AdviceRow& row, double most_limit_s) {
  const auto& asks = row.site.asks;
  row.pieces = {1, row.run.epochs};
  row.limit_s = asks.time.value;
  row.limit_detail = "the allocation's: without a forecast";
  if (!row.run.is_known() || std::isnan(row.run.time_s.interval_95.high)) {
    return;
  }
  const auto most = most_of(row.run);
  const auto wanted = limit_for(most.total_s(), row.site).limit;
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

std::string too_little_memory(const AdviceRow& row) {
  const auto asked = static_cast<double>(row.site.asks.memory.value);
  const auto& needed = row.run.memory_bytes;
  if (asked == 0 || !needed || needed->interval_95.high <= asked) {
    return "";
  }
  const bool surely = needed->value > asked;
  return fmt::format("{} {:.2f} GiB of memory of a node, and asks for {}",
                     surely ? "needs" : "may need",
                     (surely ? needed->value : needed->interval_95.high) / gibibyte,
                     to_text(row.site.asks.memory));
}

void set_result(AdviceRow& row) {
  if (!row.run.is_known()) {
    return;
  }
  const auto none = forecast::Prediction{0, {0, 0}, {0, 0}};
  const auto loss = row.preemption.loss.value_or(history::ExpectedLoss{none, none});
  const auto runs_s = row.preemption.loss
                          ? forecast::sum_of_independent({row.run.time_s, loss.lost_s})
                          : row.run.time_s;
  row.usage = usage_of(row.site.asks, runs_s.value);
  row.money = run::money_of(row.usage, row.site.prices);
  row.money_high = run::money_of(usage_of(row.site.asks, runs_s.interval_80.high), row.site.prices);
  if (row.run.j_per_epoch && row.run.epochs > 0) {
    row.energy_j = *row.run.j_per_epoch * static_cast<double>(row.run.epochs) * runs_s.value /
                   row.run.time_s.value;
  }
  if (row.wait.gap_s && row.run.epochs > 0 && !std::isnan(row.run.time_s.interval_95.high)) {
    const double longest_s = std::min(*row.wait.gap_s, row.limit_s);
    row.gap_pieces =
        pieces_for(most_of(row.run), row.run.epochs, {longest_s}, row.site.launch.signal_lead);
  }
  if (!row.wait.chosen || row.pieces.count == 0) {
    return;
  }
  row.result_s = runs_s + loss.preemptions.value * row.wait.chosen->wait_s.value;
  for (std::int64_t piece = 0; piece < row.pieces.count; ++piece) {
    row.result_s = forecast::sum_of_independent({*row.result_s, row.wait.chosen->wait_s});
  }
}

}  // namespace epochcast::jobs
