// How to repeat what the report shows: the programs, the jobs, each run by hand, and this page.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "analysis/report/section_spec.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::analysis::sections {
namespace repeat_section {

namespace fs = std::filesystem;

constexpr std::size_t most_commands = 40;

std::string lines_html(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    text += html::escaped(line) + "\n";
  }
  return html::element("pre", html::element("code", text));
}

/// A word for a shell; one with a NUL cannot be given to any program.
std::string word(const std::string& text) {
  return text.find('\0') == std::string::npos ? shell_quote(text) : "'?'";
}

std::string programs(const std::vector<LoadedRecord>& records) {
  std::map<std::string, std::size_t> versions;
  for (const auto& loaded : records) {
    const auto& header = loaded.record.header;
    const auto version = header.tool_version.str();
    ++versions[version.empty() ? "an importer, or a program that named no version"
                               : fmt::format("Epochcast {} (revision {})", version,
                                             header.tool_revision.str())];
  }
  std::vector<std::string> texts;
  for (const auto& [version, count] : versions) {
    texts.push_back(fmt::format("{}: {}", version, counted(count, "record")));
  }
  return html::element("h3", "Programs that wrote the records") + html::list(texts);
}

/// Folders of `generate` among those of the records.
std::string jobs(const std::vector<LoadedRecord>& records) {
  std::set<std::string> folders;
  for (const auto& loaded : records) {
    const auto out = absolute_path(loaded.path).parent_path().parent_path();
    if (fs::is_regular_file(out / "experiment.yaml") && fs::is_regular_file(out / "cluster.yaml")) {
      folders.insert(out.string());
    }
  }
  std::vector<std::string> lines;
  for (const auto& out : folders) {
    lines.push_back(fmt::format("epochcast-jobs generate {} --cluster {} -o {}",
                                word(out + "/experiment.yaml"), word(out + "/cluster.yaml"),
                                word(out + "-again")));
    lines.push_back(
        fmt::format("epochcast-jobs submit {0}      # without Slurm: epochcast-jobs run {0}",
                    word(out + "-again")));
  }
  return lines.empty() ? "" : html::element("h3", "All jobs of an experiment") + lines_html(lines);
}

bool is_of_command(const record::Record& record) {
  for (const auto& span : record.spans) {
    if (span.name.view() == "command") {
      return true;
    }
  }
  return false;
}

/// The trainer's command line, defaults left out.
std::string command_of(const record::Record& record) {
  static const auto texts = run::field_texts(run::RunConfig{});
  static const std::map<std::string, std::string> defaults(texts.begin(), texts.end());
  std::string command = "epochcast-train";
  for (const auto& row : record.parameters) {
    const auto name = row.name.str();
    const auto value = row.value.str();
    const auto found = defaults.find(name);
    const bool is_known = found != defaults.end() || name.find('.') != std::string::npos;
    if (is_known && (found == defaults.end() || found->second != value)) {
      command += fmt::format(" {}", word("--" + cli::option_name(name) + "=" + value));
    }
  }
  return command;
}

/// Distinct command lines, and what cannot be repeated so.
std::string runs(const std::vector<LoadedRecord>& records) {
  std::map<std::string, std::size_t> commands;
  std::map<std::string, std::size_t> others;
  for (const auto& loaded : records) {
    const auto& record = loaded.record;
    const auto source = record.header.source.str();
    if (source != "measured") {
      ++others[fmt::format("{}: not a run of Epochcast", source)];
    } else if (is_of_command(record)) {
      ++others["another program under epochcast-run: its command is in the experiment"];
    } else {
      ++commands[command_of(record)];
    }
  }
  std::vector<std::string> lines;
  for (const auto& [command, count] : commands) {
    if (lines.size() < most_commands) {
      lines.push_back(command);
    }
  }
  std::vector<std::string> notes;
  if (commands.size() > lines.size()) {
    notes.push_back(
        fmt::format("the first {} of {} command lines; the parameters of all are in "
                    "their records",
                    lines.size(), commands.size()));
  }
  for (const auto& [what, count] : others) {
    notes.push_back(fmt::format("{}: {}", counted(count, "record"), what));
  }
  return html::element("h3", "Single runs by hand") + (lines.empty() ? "" : lines_html(lines)) +
         html::list(notes);
}

std::string page(const ReportInput& input) {
  std::string command = "epochcast-analyze report";
  const auto& request = input.request;
  for (const auto& path : request.paths) {
    command += " " + word(path);
  }
  for (const auto& filter : request.filters) {
    command += " " + word("--filter=" + filter);
  }
  for (const auto& file : request.ledgers) {
    command += " " + word("--ledger=" + file);
  }
  if (!request.cluster.empty()) {
    command += " " + word("--cluster=" + request.cluster);
  }
  return html::element("h3", "This page") + lines_html({command + " -o report.html"});
}

std::string make(const ReportInput& input) {
  return programs(input.records) + jobs(input.records) + runs(input.records) + page(input);
}

}  // namespace repeat_section

SectionSpec repeat() {
  return {.place = 60, .heading = "How to repeat it", .make = repeat_section::make};
}

}  // namespace epochcast::analysis::sections
