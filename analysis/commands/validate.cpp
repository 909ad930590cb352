#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/commands/commands.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/digest.hpp"
#include "src/base/core/registry.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::analysis {
namespace {

/// What the column `disturbed` says of the runs of a file: five of them, then how many more.
std::vector<std::string> disturbed_runs_in(const CsvFile& file) {
  constexpr std::size_t most_named = 5;
  const std::vector<std::string> names{"path", "run", "workload", "job"};
  const auto column = std::ranges::find_if(names, [&](const auto& name) { return file.has(name); });
  std::map<std::string, std::string> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    if (const auto& text = file.text(row, "disturbed"); !text.empty()) {
      runs.emplace(column == names.end() ? file.place(row) : file.text(row, *column), text);
    }
  }
  std::vector<std::string> notes;
  for (const auto& [run, text] : runs) {
    if (notes.size() == most_named) {
      notes.push_back(fmt::format("{} more runs of {} were disturbed, and their times are used",
                                  runs.size() - most_named, file.path()));
      break;
    }
    notes.push_back(fmt::format("{} was disturbed, and its times are used: {}", run, text));
  }
  return notes;
}

void print_kinds() {
  for (const auto& [name, spec] : validators::all()) {
    fmt::print("{:<11} {}\n{:<11} columns: {}\n", name, spec.summary, "", spec.columns);
  }
  fmt::print(
      "A column 'disturbed', of 'export epochs' and 'export settings', names runs that others took "
      "time from\n");
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

std::vector<CsvFile> files_to_learn(const cli::Arguments& arguments, const std::string& kind,
                                    const ValidatorSpec& spec) {
  std::vector<CsvFile> files;
  for (const auto& path : arguments.all("learn")) {
    if (!spec.learns) {
      throw Error("--learn: validate " + kind +
                  " learns nothing; it goes with devices, waits and history");
    }
    files.push_back(CsvFile::read(path));
  }
  return files;
}

int run_validate(const cli::Arguments& arguments) {
  const auto kind = words_after(arguments, 0, "KIND ('validate list' prints them)").front();
  if (kind == "list") {
    print_kinds();
    return exit_done;
  }
  if (const std::set<std::string> gone{"epochs", "runs", "blocks", "steps", "iterations"};
      gone.contains(kind)) {
    throw Error("validate " + kind +
                ": 'predict --each K FILE' forecasts each run, and "
                "tests/bench/score.py scores that");
  }
  const auto& spec = find_entry(validators::all(), "question", kind);
  if (arguments.has("ablate") && !spec.has_parts) {
    throw Error("--ablate: validate " + kind +
                " leaves no parts out; it goes with waits and history");
  }
  const ValidateOptions options{.learn = files_to_learn(arguments, kind, spec),
                                .ablate = arguments.has("ablate")};
  std::vector<table::Table> tables;
  for (const auto& path : files_of(arguments)) {
    const auto file = CsvFile::read(path);
    auto scored = spec.score(file, options);
    for (const auto& note : disturbed_runs_in(file)) {
      table::add_note(scored.front(), note);
    }
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
      {"learn", "FILE",
       "With devices: also score intervals that are learned from this file; with waits and "
       "history: earlier jobs; may be repeated",
       "", true});
  options.push_back({"ablate", "",
                     "With waits and history: each part of the forecast left out, in place of "
                     "simple rules"});
  options.push_back({"score", "FILE", "A file to score, like FILE...; may be repeated", "", true});
  return {"validate",
          {.usage = "epochcast-analyze validate KIND FILE... [options]",
           .summary = "Scores the forecasts, and simple rules for comparison, on measured data "
                      "('validate list' prints the kinds and the columns of their files)",
           .example = "epochcast-analyze validate surface settings.csv",
           .options = std::move(options),
           .positional = "KIND FILE..."},
          run_validate};
}

}  // namespace epochcast::analysis
