#include "jobs/advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "jobs/advise/advice_table.hpp"
#include "jobs/advise/deadline.hpp"
#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/output/plot/picture_file.hpp"
#include "src/output/table/empty_columns.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::jobs {
namespace {

AdviseRequest advise_request(const cli::Arguments& arguments) {
  AdviseRequest request;
  if (!arguments.has("cluster")) {
    throw Error("--cluster is missing (see --help)");
  }
  auto sets = arguments.all("set");
  if (arguments.has("epochs")) {
    sets.push_back(fmt::format("epochs={}", cli::count_of(arguments, "epochs")));
  }
  request.generate = {only_word(arguments, "EXPERIMENT"),
                      arguments.get("cluster"),
                      "",
                      sets,
                      arguments.all("filter"),
                      site_settings(arguments)};
  request.sources.folders = arguments.all("from");
  if (arguments.has("history")) {
    std::vector<std::string> damaged;
    request.history = history::read_history(arguments.get("history"), &damaged);
    for (const auto& line : damaged) {
      cli::report("left out: " + line);
    }
  }
  if (arguments.has("name")) {
    if (!request.history) {
      throw Error("--name: goes with --history");
    }
    request.sources.past = PastJobs{*request.history, arguments.get("name")};
  }
  if (arguments.has("deadline")) {
    request.wishes.deadline_s = seconds_until(arguments.get("deadline"), std::time(nullptr));
  }
  if (arguments.has("budget")) {
    double budget = 0;
    cli::read_option(arguments, "budget", budget, ">=0");
    request.wishes.budget = budget;
  }
  cli::read_option(arguments, "past-days", request.past_days, ">=1");
  return request;
}

int run_advise(const cli::Arguments& arguments) {
  if (arguments.has("plot")) {
    plot::require_picture_format(arguments.get("plot"));  // before the work, not after it
  }
  const auto advice = advise(advise_request(arguments));
  auto tables = advice_tables(advice.rows);
  if (arguments.has("explain")) {
    tables.push_back(source_table(advice.rows));
  }
  tables.front().notes.push_back(advice.choice);
  tables.front().notes.insert(tables.front().notes.end(), advice.pilots.begin(),
                              advice.pilots.end());
  for (const auto& row : advice.rows) {
    if (!row.run.cpus.empty()) {
      tables.front().notes.push_back(fmt::format("{}: {}", row.site.name, row.run.cpus));
    }
  }
  if (arguments.get("format") == "text" && !arguments.has("sort")) {
    std::ranges::for_each(tables, [](auto& table) { table::remove_empty_columns(table); });
  }
  table::write_tables(std::move(tables), arguments);
  for (const auto& note : advice.notes) {
    cli::report(printable(note));
  }
  if (arguments.has("plot")) {
    const auto chart = advice_chart(advice.rows, fmt::format("Time to result of '{}' on '{}'",
                                                             advice.experiment, advice.cluster));
    if (!plot::has_values(chart)) {
      throw RunError("--plot: nothing to draw: no time to result is known");
    }
    plot::write_picture(arguments.get("plot"), {chart}, {});
    cli::report("wrote " + printable(arguments.get("plot")));
  }
  const bool chosen = std::ranges::any_of(advice.rows, &AdviceRow::chosen);
  return chosen ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand advise_command() {
  auto options = table::output_options();
  options.insert(
      options.begin(),
      {{"cluster", "NAME|FILE", "Profile of the cluster (see 'cluster list')"},
       {"epochs", "N", "Epochs of the run, in place of those of the experiment"},
       {"from", "OUT", "Output folder with records of this run, such as pilots; may be repeated",
        "", true},
       {"deadline", "TIME",
        "Choose the cheapest allocation that ends before: 'Fri 18:00', '18:00', "
        "'2026-12-01 18:00', 6h"},
       {"budget", "MONEY", "Choose none that may cost more, in the currency of the prices"},
       {"explain", "", "Also print where every number is from"},
       {"plot", "FILE", "Write a picture of the times: .svg, .png or .pdf"},
       {"past-days", "N", "Days of the accounting from which waits are learned",
        to_text(AdviseRequest{}.past_days)},
       {"history", "FILE",
        "Learn from the past jobs in this history (epochcast-analyze import sacct), not from "
        "sacct"},
       {"name", "PATTERN",
        "With --history: names of past jobs that did this work, for its run time"},
       {"set", "KEY=VALUE", "Replace a value of the experiment", "", true},
       site_option(),
       filter_option()});
  return {
      "advise",
      {.usage = "epochcast-jobs advise EXPERIMENT --cluster C --epochs N [--from OUT] [options]",
       .summary = "Says on which allocation the result is there first, and what it costs",
       .example = "epochcast-jobs advise experiments/lab.yaml --cluster rosie --epochs 100 "
                  "--from out --deadline 'Fri 18:00'",
       .options = std::move(options),
       .positional = "EXPERIMENT"},
      run_advise};
}

}  // namespace epochcast::jobs
