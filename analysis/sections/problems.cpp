// Runs whose times must not be used without a second look, and why: disturbed, tainted, failed,
// unfinished or simulated, and files that cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/records/disturbed.hpp"
#include "analysis/report/section_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/html_table.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::sections {
namespace problems_section {

constexpr std::size_t most_rows = 2000;

/// One word for what is wrong; "" if nothing is.
std::string kind_of(const record::Record& record) {
  switch (record::outcome_of(record.header)) {
    case run::Outcome::failed:
      return "failed";
    case run::Outcome::lost:
      return "lost";
    case run::Outcome::stopped:
      return "stopped early";
    case run::Outcome::running:
      return "not finished";
    case run::Outcome::unknown:
      return "unknown outcome";
    case run::Outcome::complete:
      break;
  }
  if (!record.header.tainted.view().empty()) {
    return "tainted";
  }
  return fault_of(record).empty() ? "" : "several attempts";
}

std::string disturbed_text(const DisturbedRun& run) {
  return run.clean_repeats > 0
             ? fmt::format("{}; tables leave it out beside {}", run.text,
                           counted(run.clean_repeats, "undisturbed repeat"))
             : fmt::format("{}; it has no undisturbed repeat, so tables keep it", run.text);
}

/// Records whose times nobody measured: "12 records are simulated: ...".
std::string simulated_text(const ReportInput& input) {
  const auto count = std::ranges::count_if(input.records, [](const LoadedRecord& loaded) {
    return loaded.record.header.source.view() == "simulated";
  });
  return count == 0 ? ""
                    : html::paragraph(fmt::format(
                          "Simulated: {} of {}. Their times are generated, not measured. "
                          "Beside measured runs, tables leave them out.",
                          count, counted(input.records.size(), "record")));
}

/// A record and what is wrong with it; a record may have two. Or a file that cannot be read.
struct Problem {
  const LoadedRecord* loaded;  ///< nullptr: such a file.
  std::string kind;
  std::string reason;
};

std::vector<Problem> problems_in(const ReportInput& input) {
  std::map<std::size_t, std::string> disturbed;
  for (const auto& run : disturbed_runs(input.records)) {
    disturbed[run.index] = disturbed_text(run);
  }
  std::vector<Problem> found;
  for (std::size_t i = 0; i < input.records.size(); ++i) {
    const auto& loaded = input.records[i];
    if (const auto by = disturbed.find(i); by != disturbed.end()) {
      found.push_back({&loaded, "disturbed", by->second});
    }
    if (const auto kind = kind_of(loaded.record); !kind.empty()) {
      found.push_back({&loaded, kind, fault_of(loaded.record)});
    }
  }
  for (const auto& line : input.damaged) {
    found.push_back({nullptr, "damaged", line});
  }
  return found;
}

table::Table problems_table(const std::vector<Problem>& problems) {
  using record::RecordHeader;
  const table::Columns<RecordHeader> header{{"point", "point", &RecordHeader::point},
                                            {"allocation", "allocation", &RecordHeader::allocation},
                                            {"job", "job", &RecordHeader::job_id}};
  table::Columns<Problem> columns{
      {"record", "record",
       [](const auto& one) { return one.loaded == nullptr ? "not read" : one.loaded->path; }},
      {"kind", "kind", &Problem::kind}};
  columns
      .add(header,
           [](const Problem& one) {
             return one.loaded == nullptr ? nullptr : &one.loaded->record.header;
           })
      .add({"reason", "reason", &Problem::reason});
  return table::make_table("problems", "Runs that need a second look", columns, problems);
}

std::size_t clean_records(const ReportInput& input, const std::vector<Problem>& problems) {
  std::set<const LoadedRecord*> named;
  for (const auto& one : problems) {
    named.insert(one.loaded);
  }
  named.erase(nullptr);
  return input.records.size() - named.size();
}

std::string make(const ReportInput& input) {
  const auto problems = problems_in(input);
  if (problems.empty()) {
    return html::paragraph(
               "None: every record is complete, comparable and undisturbed, and every file could "
               "be read.") +
           simulated_text(input);
  }
  return html::paragraph(fmt::format("{} of {} files are records that are complete, comparable and "
                                     "undisturbed. The others are below, "
                                     "with the reason.",
                                     clean_records(input, problems),
                                     input.records.size() + input.damaged.size())) +
         simulated_text(input) +
         table::html_table(table::without_empty_columns(problems_table(problems)), "problems-runs",
                           most_rows);
}

}  // namespace problems_section

SectionSpec problems() {
  return {.place = 40, .heading = "Disturbed, tainted or failed", .make = problems_section::make};
}

}  // namespace epochcast::analysis::sections
