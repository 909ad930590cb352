// What ran where: counts, and the allocations with their machines.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/records/record_metrics.hpp"
#include "analysis/report/section_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/html_table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::sections {
namespace {

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

table::Cell count_cell(std::int64_t count) {
  return count > 0 ? table::Cell(static_cast<double>(count)) : table::Cell();
}

table::Table places_table(const std::vector<LoadedRecord>& records) {
  std::map<Place, std::pair<double, std::set<std::string>>> places;
  for (const auto& loaded : records) {
    auto& [runs, hosts] = places[place_of(loaded.record)];
    ++runs;
    for (const auto& machine : loaded.record.machines) {
      hosts.insert(machine.host.str());
    }
    hosts.erase("");
  }
  table::Table table{
      .name = "places",
      .title = "Allocations and machines",
      .columns = {
          table::text_column("allocation", "allocation"), table::text_column("device", "device"),
          table::text_column("hardware", "hardware"), table::number_column("runs", "runs", "", 0),
          table::number_column("nodes", "nodes", "", 0),
          table::number_column("ranks", "ranks", "", 0),
          table::number_column("cpus", "CPUs", "", 0), table::number_column("gpus", "GPUs", "", 0),
          table::text_column("hosts", "hosts"), table::text_column("libraries", "libraries")}};
  for (const auto& [place, found] : places) {
    table.rows.push_back({place.allocation, place.device, place.hardware, found.first,
                          count_cell(place.nodes), count_cell(place.ranks), count_cell(place.cpus),
                          static_cast<double>(place.gpus), some_of(found.second), place.libraries});
  }
  table::add_note(table, "CPUs: those that the computation used; an empty cell: not recorded");
  return table;
}

std::string make(const ReportInput& input) {
  return facts_of(input) +
         html::details("Allocations and machines",
                       table::html_table(table::without_empty_columns(places_table(input.records)),
                                         "where-places"));
}

}  // namespace

SectionSpec where() {
  return {.place = 10, .heading = "What ran where", .make = make};
}

}  // namespace epochcast::analysis::sections
