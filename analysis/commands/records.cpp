// verify, salvage and schema: what src/record can do, from the command line.
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/reader.hpp"

namespace epochcast::analysis {
namespace {

/// Throws Error if there is none: a folder without records is a mistyped one.
std::vector<std::string> records_among(const cli::Arguments& arguments) {
  const auto words = words_after(arguments, 0, "RECORDS...");
  auto paths = record::find_records(words);
  if (paths.empty()) {
    throw Error(fmt::format("{}: no record (*.h5) there", join(words, ", ")));
  }
  return paths;
}

int verify(const cli::Arguments& arguments) {
  int status = exit_done;
  for (const auto& path : records_among(arguments)) {
    const auto verdict = record::verify_record(path);
    fmt::print("{}: {}\n", printable(path), printable(verdict.text));
    status = verdict.readable && verdict.consistent ? status : exit_failed;
  }
  return status;
}

int salvage(const cli::Arguments& arguments) {
  int status = exit_done;
  for (const auto& path : records_among(arguments)) {
    const auto verdict = record::verify_record(path);
    if (verdict.readable && verdict.consistent) {
      cli::report(fmt::format("{}: {}, nothing to salvage", path, verdict.text));
      continue;
    }
    try {
      fmt::print("{}\n", record::salvage_record(path));
    } catch (const Error& error) {
      cli::report(error.what());
      status = exit_failed;
    }
  }
  return status;
}

int schema(const cli::Arguments&) {
  fmt::print("{}", record::schema_page());
  return exit_done;
}

}  // namespace

cli::Subcommand verify_command() {
  return {"verify",
          {.usage = "epochcast-analyze verify RECORDS...",
           .summary = "Checks whether each record is complete and consistent",
           .example = "epochcast-analyze verify out/records",
           .options = {},
           .positional = "RECORDS..."},
          verify};
}

cli::Subcommand salvage_command() {
  return {"salvage",
          {.usage = "epochcast-analyze salvage RECORDS...",
           .summary = "Rebuilds damaged records from their JSON lines; keeps the damaged file",
           .example = "epochcast-analyze salvage out/records/lab.t4.e20.r0-4711.h5",
           .options = {},
           .positional = "RECORDS..."},
          salvage};
}

cli::Subcommand schema_command() {
  return {"schema",
          {.usage = "epochcast-analyze schema",
           .summary = "Prints the record schema as Markdown",
           .example = "epochcast-analyze schema > schema.md",
           .options = {}},
          schema};
}

}  // namespace epochcast::analysis
