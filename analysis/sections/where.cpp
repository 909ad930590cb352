// What ran where: counts, and the allocations with their machines.
#include <fmt/format.h>

#include <map>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "analysis/report/section_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/html_table.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::sections {
namespace where_section {

std::string fact(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html::escaped(name),
                     html::escaped(value));
}

/// The dates of the first and the last start: "2026-11-21", "2026-11-21 to 2026-11-24".
std::string dates_of(const std::vector<LoadedRecord>& records) {
  constexpr std::size_t length_of_date = 10;
  std::set<std::string> dates;
  for (const auto& loaded : records) {
    dates.insert(loaded.record.header.created_at.str().substr(0, length_of_date));
  }
  dates.erase("");
  if (dates.empty()) {
    return "not recorded";
  }
  return dates.size() == 1 ? *dates.begin() : *dates.begin() + " to " + *dates.rbegin();
}

/// "measured", "published", "measured 10, simulated 2": a reader must see what was not measured.
std::string sources_of(const std::vector<LoadedRecord>& records) {
  std::map<std::string, std::size_t> counts;
  for (const auto& loaded : records) {
    ++counts[loaded.record.header.source.str()];
  }
  std::vector<std::string> parts;
  for (const auto& [source, count] : counts) {
    parts.push_back(counts.size() == 1 ? source : fmt::format("{} {}", source, count));
  }
  return join(parts, ", ");
}

/// Outcomes that most reports have none of.
std::string others_of(std::map<run::Outcome, std::size_t>& ended) {
  std::string facts;
  for (const auto& [outcome, name] :
       {std::pair{run::Outcome::lost, "Lost"}, std::pair{run::Outcome::running, "Not finished"},
        std::pair{run::Outcome::unknown, "Outcome not known"}}) {
    facts += ended[outcome] > 0 ? fact(name, std::to_string(ended[outcome])) : "";
  }
  return facts;
}

std::string facts_of(const ReportInput& input) {
  std::set<std::string> allocations;
  std::set<std::string> hosts;
  std::map<run::Outcome, std::size_t> ended;
  std::size_t usable = 0;
  for (const auto& loaded : input.records) {
    const auto& record = loaded.record;
    ++ended[record::outcome_of(record.header)];
    usable += fault_of(record).empty() ? 1 : 0;
    allocations.insert(record.header.allocation.str());
    for (const auto& machine : record.machines) {
      hosts.insert(machine.host.str());
    }
  }
  hosts.erase("");
  auto facts = fact("Runs", std::to_string(input.records.size())) +
               fact("Complete", std::to_string(ended[run::Outcome::complete])) +
               fact("Failed", std::to_string(ended[run::Outcome::failed])) +
               fact("Stopped early", std::to_string(ended[run::Outcome::stopped])) +
               others_of(ended) + fact("Comparable with others", std::to_string(usable)) +
               fact("Files that could not be read", std::to_string(input.damaged.size())) +
               fact("Allocations", std::to_string(allocations.size())) +
               fact("Hosts", hosts.empty() ? "not recorded" : std::to_string(hosts.size())) +
               fact("Started", dates_of(input.records)) +
               fact("Source of the times", sources_of(input.records));
  return html::element("dl", "\n" + facts, "class=\"facts\"");
}

/// Runs on alike hardware under one allocation.
struct Place {
  std::string allocation;
  std::string device;
  std::string hardware;
  std::int64_t nodes;
  std::int64_t ranks;
  std::int64_t cpus;
  std::int64_t gpus;
  std::string libraries;
  auto operator<=>(const Place&) const = default;
};

Place place_of(const record::Record& record) {
  return {.allocation = record.header.allocation.str(),
          .device = device_of(record),
          .hardware = hardware_of(record),
          .nodes = nodes_of(record),
          .ranks = ranks_of(record),
          .cpus = cpus_of(record),
          .gpus = gpus_of(record),
          .libraries = record.machines.empty() ? "" : record.machines.front().libraries.str()};
}

/// "node1, node2, node3 and 5 more".
std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> shown(names.begin(), names.end());
  if (shown.size() > most_named) {
    const auto more = shown.size() - most_named;
    shown.resize(most_named);
    return fmt::format("{} and {} more", join(shown, ", "), more);
  }
  return join(shown, ", ");
}

/// What ran there.
struct PlaceRuns {
  std::size_t runs = 0;
  std::set<std::string> hosts;
};

/// Empty for 0: not recorded.
template <std::int64_t Place::*count>
table::Cell recorded(const Place& place) {
  return table::positive_cell(static_cast<double>(place.*count));
}

table::Table places_table(const std::vector<LoadedRecord>& records) {
  std::map<Place, PlaceRuns> places;
  for (const auto& loaded : records) {
    auto& found = places[place_of(loaded.record)];
    ++found.runs;
    for (const auto& machine : loaded.record.machines) {
      found.hosts.insert(machine.host.str());
    }
    found.hosts.erase("");
  }
  const table::Columns<Place> where{{"allocation", "allocation", &Place::allocation},
                                    {"device", "device", &Place::device},
                                    {"hardware", "hardware", &Place::hardware}};
  const table::Columns<Place> counts{{"nodes", "nodes", "", 0, recorded<&Place::nodes>},
                                     {"ranks", "ranks", "", 0, recorded<&Place::ranks>},
                                     {"cpus", "CPUs", "", 0, recorded<&Place::cpus>},
                                     {"gpus", "GPUs", "", 0, &Place::gpus}};
  using Row = std::pair<const Place, PlaceRuns>;
  table::Columns<Row> columns;
  columns.add(where, &Row::first)
      .add({"runs", "runs", "", 0, [](const auto& row) { return row.second.runs; }})
      .add(counts, &Row::first)
      .add({{"hosts", "hosts", [](const auto& row) { return some_of(row.second.hosts); }},
            {"libraries", "libraries", [](const auto& row) { return row.first.libraries; }}});
  return table::make_table("places", "Allocations and machines", columns, places,
                           {"CPUs: those that the computation used; an empty cell: not recorded"});
}

std::string make(const ReportInput& input) {
  return facts_of(input) +
         html::details("Allocations and machines",
                       table::html_table(table::without_empty_columns(places_table(input.records)),
                                         "where-places"));
}

}  // namespace where_section

SectionSpec where() {
  return {.place = 10, .heading = "What ran where", .make = where_section::make};
}

}  // namespace epochcast::analysis::sections
