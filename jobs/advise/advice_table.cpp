#include "jobs/advise/advice_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::jobs {
namespace {

using forecast::Prediction;
using table::Cell;
using table::finite_cell;
using table::text_cell;

constexpr double joules_per_wh = 3600;

/// The value of a prediction, where it is finite.
table::Columns<Prediction> value_column(const std::string& name, const std::string& heading) {
  return {{name + "_s", heading, "s", 0, [](auto& of) { return finite_cell(of.value); }}};
}

/// Its 80 % interval, likewise.
table::Columns<Prediction> interval_columns(const std::string& name, const std::string& heading) {
  return {{name + "_low_80_s", heading, "s", 0,
           [](auto& of) { return finite_cell(of.interval_80.low); }},
          {name + "_high_80_s", "to", "s", 0,
           [](auto& of) { return finite_cell(of.interval_80.high); }}};
}

const Prediction* run_s(const AdviceRow& row) {
  return row.run.is_known() ? &row.run.time_s : nullptr;
}

const Prediction* wait_s(const AdviceRow& row) {
  return row.wait.chosen ? &row.wait.chosen->wait_s : nullptr;
}

std::string remark_of(const AdviceRow& row) {
  std::vector<std::string> parts;
  if (!row.verdict.empty()) {
    parts.push_back(row.verdict);
  }
  if (!row.run.is_known() && row.verdict != row.run.detail) {
    parts.push_back(row.run.detail);
  }
  if (const auto text = too_little_memory(row); !text.empty() && text != row.verdict) {
    parts.push_back(text);
  }
  if (row.run.is_known() && row.limit_s > row.site.asks.time.value &&
      row.site.asks.time.value > 0) {
    parts.push_back(fmt::format("set 'time: {}'", format_duration(row.limit_s)));
  }
  if (row.pieces.count > 1) {
    parts.push_back(
        fmt::format("in {} pieces of about {} epochs", row.pieces.count, row.pieces.epochs));
  }
  if (!row.preemption.partitions.empty() && !row.preemption.loss) {
    parts.push_back("may be preempted; the loss is not known, nor in the result");
  }
  return join(parts, ": ");
}

table::Table advice_table(const std::vector<AdviceRow>& rows) {
  table::Columns<AdviceRow> columns{
      {"allocation", "allocation", [](auto& row) { return row.site.name; }},
      {"nodes", "nodes", "", 0, [](auto& row) { return row.site.asks.nodes; }}};
  columns.add(value_column("wait", "wait"), wait_s)
      .add(value_column("run", "run"), run_s)
      .add(value_column("result", "result"), &AdviceRow::result_s)
      .add(interval_columns("result", "80 % from"), &AdviceRow::result_s)
      .add({{"cpu_hours", "CPU-hours", "h", 3, [](auto& row) { return row.usage.cpu_hours; }},
            {"gpu_hours", "GPU-hours", "h", 3, [](auto& row) { return row.usage.gpu_hours; }},
            {"money", "cost", "", 4, &AdviceRow::money},
            {"currency", "currency",
             [](auto& row) { return text_cell(row.money ? row.site.prices.currency : ""); }},
            {"energy_wh", "energy", "Wh", 2,
             [](auto& row) { return row.energy_j ? Cell(*row.energy_j / joules_per_wh) : Cell(); }},
            {"pareto", "Pareto", [](auto& row) { return text_cell(row.pareto ? "yes" : ""); }},
            {"choice", "choice", [](auto& row) { return text_cell(row.chosen ? "<--" : ""); }},
            {"remark", "remark", [](auto& row) { return text_cell(remark_of(row)); }}});
  return table::make_table("advice", "Time to result and cost of each allocation", columns, rows);
}

table::Table details_table(const std::vector<AdviceRow>& rows) {
  table::Columns<WaitForecast> wait{
      {"wait_source", "wait from", [](auto& of) { return to_text(of.source); }}};
  wait.add(interval_columns("wait", "wait 80 % from"), &WaitForecast::wait_s)
      .add({{"past_waits", "past waits", "", 0,
             [](auto& of) { return table::positive_cell(double(of.error.n)); }},
            {"in_80_percent", "in 80 %", "%", 0, [](auto& of) {
               return table::percent_cell(double(of.error.inside), double(of.error.n));
             }}});
  table::Columns<AdviceRow> columns{
      {"allocation", "allocation", [](auto& row) { return row.site.name; }},
      {"run_source", "run from", [](auto& row) { return text_cell(row.run.source); }}};
  columns.add(interval_columns("run", "run 80 % from"), run_s)
      .add(
          wait, [](auto& row) -> auto& { return row.wait.chosen; })
      .add({{"limit_s", "limit", "s", 0,
             [](auto& row) { return table::positive_cell(row.limit_s); }},
            {"pieces", "pieces", "", 0,
             [](auto& row) {
               return row.run.is_known() ? std::optional(row.pieces.count) : std::nullopt;
             }},
            {"preemptions", "preemptions", "", 2,
             [](auto& row) {
               const auto& loss = row.preemption.loss;
               return loss ? finite_cell(loss->preemptions.value) : Cell();
             }},
            {"lost_s", "lost", "s", 0,
             [](auto& row) {
               const auto& loss = row.preemption.loss;
               return loss ? finite_cell(loss->lost_s.value) : Cell();
             }},
            {"gap_s", "gap now", "s", 0,
             [](auto& row) { return row.wait.gap_s ? finite_cell(*row.wait.gap_s) : Cell(); }},
            {"gap_pieces", "pieces in gaps", "", 0,
             [](auto& row) { return table::positive_cell(double(row.gap_pieces.count)); }}});
  return table::make_table("details", "Run, wait and limit of each allocation", columns, rows);
}

std::string interval_text(const forecast::Prediction& prediction) {
  const auto text = [](double seconds) {
    return std::isfinite(seconds) ? format_duration(std::round(seconds)) : std::string("no end");
  };
  return fmt::format("{} ({} to {}, 80 %)", text(prediction.value),
                     text(prediction.interval_80.low), text(prediction.interval_80.high));
}

/// A number of the advice, and where it is from.
struct Source {
  std::string number;
  std::string value;
  std::string text;
};

void add_wait(const AllocationWait& wait, std::vector<Source>& sources) {
  if (!wait.problem.empty()) {
    sources.push_back({"wait", "", wait.problem});
  }
  const auto add_method = [&](const WaitForecast& method, const std::string& number) {
    auto text = fmt::format("{}: {}", to_text(method.source), join(method.reasons, "; "));
    if (method.source != WaitSource::none) {
      text += "; " + queue::error_text(method.error);
    }
    sources.push_back({number, interval_text(method.wait_s), text});
  };
  if (wait.chosen) {
    add_method(*wait.chosen, "wait");
  }
  for (const auto& other : wait.others) {
    add_method(other, "wait (not used)");
  }
}

std::vector<Source> sources_of(const AdviceRow& row) {
  const auto& prices = row.site.prices;
  std::vector<Source> sources{
      {"run", row.run.is_known() ? interval_text(row.run.time_s) : "",
       row.run.is_known() ? row.run.source + ": " + row.run.detail : row.run.detail},
      {"limit", row.limit_s > 0 ? format_duration(row.limit_s) : "none", row.limit_detail}};
  add_wait(row.wait, sources);
  if (row.wait.gap_s) {
    sources.push_back(
        {"gap now",
         std::isfinite(*row.wait.gap_s) ? format_duration(std::round(*row.wait.gap_s)) : "no end",
         "the longest limit with which a job would start at once, by the limits of the running and "
         "waiting jobs"});
  }
  if (const auto& by = row.preemption; !by.partitions.empty()) {
    sources.push_back({"lost by preemption", by.loss ? interval_text(by.loss->lost_s) : "",
                       fmt::format("in the mean; {}: {}", by.partitions, by.detail)});
  }
  if (row.result_s) {
    sources.push_back({"result", interval_text(*row.result_s),
                       fmt::format("wait{} and run; their distances from the medians added in "
                                   "quadrature",
                                   row.preemption.loss ? ", loss by preemption" : "")});
    sources.push_back(
        {"cost",
         row.money ? fmt::format("{} {}", format_shortest(*row.money), prices.currency) : "",
         row.money ? "profile: " + run::price_text(prices) : "the profile has no prices"});
    sources.push_back({"energy", row.energy_j ? fmt::format("{:.0f} J", *row.energy_j) : "",
                       row.run.energy_detail});
  }
  return sources;
}

}  // namespace

std::vector<table::Table> advice_tables(const std::vector<AdviceRow>& rows) {
  return {advice_table(rows), details_table(rows)};
}

table::Table source_table(const std::vector<AdviceRow>& rows) {
  using Row = std::pair<std::string, Source>;
  std::vector<Row> lines;
  for (const auto& row : rows) {
    for (const auto& source : sources_of(row)) {
      lines.emplace_back(row.site.name, source);
    }
  }
  const table::Columns<Source> sources{
      {"number", "number", &Source::number},
      {"value", "value", [](auto& of) { return text_cell(of.value); }},
      {"source", "source", [](auto& of) { return text_cell(printable(of.text)); }}};
  table::Columns<Row> columns{{"allocation", "allocation", &Row::first}};
  return table::make_table("sources", "Where every number is from",
                           columns.add(sources, &Row::second), lines);
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
