#include "jobs/advise/advice_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using table::Cell;
using table::finite_cell;
using table::number_column;
using table::text_cell;
using table::text_column;

Cell count_cell(std::int64_t count) {
  return Cell(static_cast<double>(count));
}

std::string remark_of(const AdviceRow& row) {
  std::vector<std::string> parts;
  if (!row.verdict.empty()) {
    parts.push_back(row.verdict);
  }
  if (!row.run.is_known() && row.verdict != row.run.detail) {
    parts.push_back(row.run.detail);
  }
  if (row.run.is_known() && row.limit_s > row.site.asks.time.value &&
      row.site.asks.time.value > 0) {
    parts.push_back(fmt::format("set 'time: {}'", format_duration(row.limit_s)));
  }
  if (row.pieces.count > 1) {
    parts.push_back(
        fmt::format("in {} pieces of about {} epochs", row.pieces.count, row.pieces.epochs));
  }
  return join(parts, ": ");
}

table::Table advice_table(const std::vector<AdviceRow>& rows) {
  table::Table table{
      .name = "advice",
      .title = "Time to result and cost of each allocation",
      .columns = {text_column("allocation", "allocation"), number_column("nodes", "nodes", "", 0),
                  number_column("wait_s", "wait", "s", 0), number_column("run_s", "run", "s", 0),
                  number_column("result_s", "result", "s", 0),
                  number_column("result_low_80_s", "80 % from", "s", 0),
                  number_column("result_high_80_s", "to", "s", 0),
                  number_column("cpu_hours", "CPU-hours", "h", 3),
                  number_column("gpu_hours", "GPU-hours", "h", 3),
                  number_column("money", "cost", "", 4), text_column("currency", "currency"),
                  number_column("energy_wh", "energy", "Wh", 2), text_column("pareto", "Pareto"),
                  text_column("choice", "choice"), text_column("remark", "remark")}};
  for (const auto& row : rows) {
    constexpr double joules_per_wh = 3600;
    const auto& result = row.result_s;
    const auto energy = row.energy_j ? Cell(*row.energy_j / joules_per_wh) : Cell();
    table.rows.push_back({row.site.name, count_cell(row.site.asks.nodes),
                          row.wait.chosen ? finite_cell(row.wait.chosen->wait_s.value) : Cell(),
                          row.run.is_known() ? finite_cell(row.run.time_s.value) : Cell(),
                          result ? finite_cell(result->value) : Cell(),
                          result ? finite_cell(result->interval_80.low) : Cell(),
                          result ? finite_cell(result->interval_80.high) : Cell(),
                          table::cell_of(row.usage.cpu_hours), table::cell_of(row.usage.gpu_hours),
                          table::cell_of(row.money),
                          text_cell(row.money ? row.site.prices.currency : ""), energy,
                          text_cell(row.pareto ? "yes" : ""), text_cell(row.chosen ? "<--" : ""),
                          text_cell(remark_of(row))});
  }
  return table;
}

table::Table details_table(const std::vector<AdviceRow>& rows) {
  table::Table table{
      .name = "details",
      .title = "Run, wait and limit of each allocation",
      .columns = {
          text_column("allocation", "allocation"), text_column("run_source", "run from"),
          number_column("run_low_80_s", "run 80 % from", "s", 0),
          number_column("run_high_80_s", "to", "s", 0), text_column("wait_source", "wait from"),
          number_column("wait_low_80_s", "wait 80 % from", "s", 0),
          number_column("wait_high_80_s", "to", "s", 0),
          number_column("past_waits", "past waits", "", 0),
          number_column("in_80_percent", "in 80 %", "%", 0),
          number_column("slurm_wait_s", "Slurm says", "s", 0),
          number_column("limit_s", "limit", "s", 0), number_column("pieces", "pieces", "", 0),
          number_column("gap_s", "gap now", "s", 0),
          number_column("gap_pieces", "pieces in gaps", "", 0)}};
  for (const auto& row : rows) {
    const auto* wait = row.wait.chosen ? &*row.wait.chosen : nullptr;
    const bool measured = wait != nullptr && wait->error.n > 0;
    double slurm_s = std::numeric_limits<double>::quiet_NaN();
    for (const auto& other : row.wait.others) {
      slurm_s = other.source == WaitSource::slurm ? other.wait_s.value : slurm_s;
    }
    if (wait != nullptr && wait->source == WaitSource::slurm) {
      slurm_s = wait->wait_s.value;
    }
    const double share = measured ? 100 * static_cast<double>(wait->error.inside) /
                                        static_cast<double>(wait->error.n)
                                  : 0;
    table.rows.push_back(
        {row.site.name, text_cell(row.run.source),
         row.run.is_known() ? finite_cell(row.run.time_s.interval_80.low) : Cell(),
         row.run.is_known() ? finite_cell(row.run.time_s.interval_80.high) : Cell(),
         text_cell(wait != nullptr ? std::string(to_text(wait->source)) : ""),
         wait != nullptr ? finite_cell(wait->wait_s.interval_80.low) : Cell(),
         wait != nullptr ? finite_cell(wait->wait_s.interval_80.high) : Cell(),
         measured ? count_cell(static_cast<std::int64_t>(wait->error.n)) : Cell(),
         measured ? Cell(share) : Cell(), finite_cell(slurm_s),
         row.limit_s > 0 ? Cell(row.limit_s) : Cell(),
         row.run.is_known() ? count_cell(row.pieces.count) : Cell(),
         row.wait.gap_s ? finite_cell(*row.wait.gap_s) : Cell(),
         row.gap_pieces.count > 0 ? count_cell(row.gap_pieces.count) : Cell()});
  }
  return table;
}

std::string interval_text(const forecast::Prediction& prediction) {
  const auto text = [](double seconds) {
    return std::isfinite(seconds) ? format_duration(std::round(seconds)) : std::string("no end");
  };
  return fmt::format("{} ({} to {}, 80 %)", text(prediction.value),
                     text(prediction.interval_80.low), text(prediction.interval_80.high));
}

class Sources {
 public:
  void add(const AdviceRow& row) {
    row_ = &row;
    line("run", row.run.is_known() ? interval_text(row.run.time_s) : "",
         row.run.is_known() ? row.run.source + ": " + row.run.detail : row.run.detail);
    line("limit", row.limit_s > 0 ? format_duration(row.limit_s) : "none", row.limit_detail);
    add_wait(row);
    if (row.wait.gap_s) {
      line("gap now",
           std::isfinite(*row.wait.gap_s) ? format_duration(std::round(*row.wait.gap_s)) : "no end",
           "the longest limit with which a job would start at once, by the limits of the running "
           "and waiting jobs");
    }
    if (row.result_s) {
      line("result", interval_text(*row.result_s),
           "wait and run; their distances from the medians added in quadrature");
      line(
          "cost",
          row.money ? fmt::format("{} {}", format_shortest(*row.money), row.site.prices.currency)
                    : "",
          row.money ? "profile: " + run::price_text(row.site.prices) : "the profile has no prices");
      line("energy", row.energy_j ? fmt::format("{:.0f} J", *row.energy_j) : "",
           row.run.energy_detail);
    }
  }

  table::Table table = {
      .name = "sources",
      .title = "Where every number is from",
      .columns = {text_column("allocation", "allocation"), text_column("number", "number"),
                  text_column("value", "value"), text_column("source", "source")}};

 private:
  void line(const std::string& number, const std::string& value, const std::string& source) {
    table.rows.push_back({row_->site.name, number, text_cell(value), text_cell(printable(source))});
  }

  void add_wait(const AdviceRow& row) {
    if (!row.wait.problem.empty()) {
      line("wait", "", row.wait.problem);
    }
    const auto add_method = [&](const WaitForecast& wait, const std::string& number) {
      auto text = fmt::format("{}: {}", to_text(wait.source), join(wait.reasons, "; "));
      if (wait.source != WaitSource::slurm && wait.source != WaitSource::none) {
        text += "; " + error_text(wait.error);
      }
      line(number, interval_text(wait.wait_s), text);
    };
    if (row.wait.chosen) {
      add_method(*row.wait.chosen, "wait");
    }
    for (const auto& other : row.wait.others) {
      add_method(other, "wait (not used)");
    }
  }

  const AdviceRow* row_ = nullptr;
};

}  // namespace

std::vector<table::Table> advice_tables(const std::vector<AdviceRow>& rows) {
  return {advice_table(rows), details_table(rows)};
}

table::Table source_table(const std::vector<AdviceRow>& rows) {
  Sources sources;
  for (const auto& row : rows) {
    sources.add(row);
  }
  return sources.table;
}

plot::Chart advice_chart(const std::vector<AdviceRow>& rows, const std::string& title) {
  using Kind = plot::Series::Kind;
  plot::Chart chart{.name = "advice",
                    .title = title,
                    .subtitle = "medians; bar at the result: 80 % interval",
                    .x = {.label = "allocation", .scale = plot::Axis::Scale::categories},
                    .y = {.label = "time", .unit = "s", .from_zero = true}};
  plot::Series wait{.name = "wait", .kind = Kind::bars, .values = true};
  plot::Series run{.name = "run", .kind = Kind::bars, .values = true};
  plot::Series result{.name = "time to result", .kind = Kind::points};
  for (const auto& row : rows) {
    if (!row.result_s) {
      chart.notes.push_back(fmt::format("{}: {}", row.site.name, remark_of(row)));
      continue;
    }
    const auto x = static_cast<double>(chart.x.categories.size());
    chart.x.categories.push_back(row.site.name + (row.chosen ? " (chosen)" : ""));
    const auto& interval = row.result_s->interval_80;
    wait.points.push_back({.x = x, .y = row.wait.chosen->wait_s.value});
    run.points.push_back({.x = x, .y = row.run.time_s.value});
    result.points.push_back(
        {.x = x,
         .y = row.result_s->value,
         .low = interval.low,
         .high = std::isfinite(interval.high) ? std::optional(interval.high) : std::nullopt,
         .note = row.pareto ? "in the Pareto set" : ""});
  }
  chart.series = {std::move(wait), std::move(run), std::move(result)};
  return chart;
}

}  // namespace epochcast::jobs
