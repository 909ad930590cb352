#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/commands/commands.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/digest.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/registry.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::analysis {
namespace {

void print_kinds() {
  for (const auto& [name, spec] : validators::all()) {
    fmt::print("{:<11} {}\n{:<11} columns: {}\n", name, spec.summary, "", spec.columns);
  }
}

/// The files to score: FILE..., and those of --score.
std::vector<std::string> files_of(const cli::Arguments& arguments) {
  auto files = arguments.all("score");
  if (files.empty() || arguments.positional().size() > 1) {
    const auto words = words_after(arguments, 1, "FILE...");
    files.insert(files.begin(), words.begin(), words.end());
  }
  return files;
}

int run_validate(const cli::Arguments& arguments) {
  const auto kind = words_after(arguments, 0, "KIND ('validate list' prints them)").front();
  if (kind == "list") {
    print_kinds();
    return exit_done;
  }
  if (const std::set<std::string> of_runs{"epochs", "runs", "blocks", "steps", "iterations"},
      of_settings{"scaling", "surface", "layouts", "memory"};
      of_runs.contains(kind) || of_settings.contains(kind) || kind == "devices") {
    throw Error(fmt::format(
        "validate {}: 'predict {}' forecasts each, and tests/bench/score.py scores that", kind,
        of_runs.contains(kind)       ? "--each K FILE"
        : of_settings.contains(kind) ? "--fill FILE"
                                     : "--pairs FILE"));
  }
  const auto& spec = find_entry(validators::all(), "question", kind);
  const ValidateOptions options{.learn = mapped(arguments.all("learn"), CsvFile::read),
                                .ablate = arguments.has("ablate")};
  std::vector<table::Table> tables;
  for (const auto& path : files_of(arguments)) {
    const auto file = CsvFile::read(path);
    auto scored = spec.score(file, options);
    scored.front().notes.push_back(fmt::format("{}: sha256 {}", path, sha256_of_file(path)));
    std::move(scored.begin(), scored.end(), std::back_inserter(tables));
  }
  table::write_tables(tables, arguments);
  return exit_done;
}

}  // namespace

cli::Subcommand validate_command() {
  auto options = table::output_options();
  options.push_back(
      {"learn", "FILE", "Earlier jobs that are only learned from; may be repeated", "", true});
  options.push_back({"ablate", "",
                     "Each part of the forecast left out, in place of "
                     "simple rules"});
  options.push_back({"score", "FILE", "A file to score, like FILE...; may be repeated", "", true});
  return {"validate",
          {.usage = "epochcast-analyze validate KIND FILE... [options]",
           .summary = "Scores the forecasts, and simple rules for comparison, on measured data "
                      "('validate list' prints the kinds and the columns of their files)",
           .example = "epochcast-analyze validate waits jobs.csv",
           .options = std::move(options),
           .positional = "KIND FILE..."},
          run_validate};
}

}  // namespace epochcast::analysis
