#include "jobs/experiment/program_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <utility>

#include "jobs/experiment/program.hpp"
#include "jobs/experiment/vocabulary.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::jobs {
namespace {

using run::yaml::Node;

/// Arguments of a command may be empty and may have several lines.
std::vector<std::string> words_of(const Node& node) {
  std::vector<std::string> words;
  for (const auto& item : node.items()) {
    words.push_back(item.text());
  }
  return words;
}

std::vector<std::string> paths_of(const Node& node, const std::string& key) {
  auto paths = words_of(node);
  if (std::ranges::find(paths, "") != paths.end()) {
    throw node.error(fmt::format("{}: found '', expected a file or folder", key));
  }
  return paths;
}

/// `node` as a value of its type. Throws Error at the node.
template <class Value>
Value value_of(const Node& node, const std::string& key, std::string_view allowed) {
  try {
    Value value;
    from_text(node.text(), value);
    check_allowed(node.text(), allowed);
    return value;
  } catch (const Error& error) {
    throw node.error(fmt::format("{}: {}", key, error.what()));
  }
}

/// Reads a group of keys by `parts`. Throws Error at an unknown one.
using Part = std::pair<std::string, std::function<void(const Node&)>>;
void read_parts(const Node& node, const std::string& key, const std::string& what,
                const std::vector<Part>& parts) {
  for (const auto& [name, value] : node.as_map(what).map) {
    const auto part = std::ranges::find(parts, name, &Part::first);
    if (part == parts.end()) {
      std::vector<std::string> known;
      for (const auto& [other, read] : parts) {
        known.push_back(other);
      }
      throw value.error(
          fmt::format("{}: unknown key '{}'{}", key, name, did_you_mean(name, known)));
    }
    part->second(value);
  }
}

void read_command(const Node& node, Program& program) {
  if (node.kind == Node::Kind::scalar && node.scalar.find(' ') != std::string::npos) {
    throw node.error(
        "command: found one text with blanks, expected a list of words, such as [python3, "
        "train.py]");
  }
  program.command = words_of(node);
  if (program.command.empty() || program.command.front().empty()) {
    throw node.error(
        "command: found no program, expected a list of words, such as [python3, "
        "train.py]");
  }
}

void read_folder(const Node& node, Program& program) {
  program.folder = one_line(node);
}

bool is_variable_name(const std::string& name) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, is_part);
}

void read_environment(const Node& node, Program& program) {
  constexpr std::array fixed_by_bash{"BASHOPTS", "BASH_VERSINFO", "EUID",
                                     "PPID",     "SHELLOPTS",     "UID"};
  for (const auto& [name, value] :
       node.as_map("environment variables, such as '{HF_HOME: /data/hub}'").map) {
    if (!is_variable_name(name)) {
      throw value.error(
          fmt::format("environment: found '{}', expected a name of letters, digits and '_'", name));
    }
    if (std::ranges::find(fixed_by_bash, name) != fixed_by_bash.end()) {
      throw value.error(fmt::format("environment: '{}' cannot be set: bash fixes it", name));
    }
    const bool passed = value.kind == Node::Kind::null;
    program.environment.push_back({name, passed ? std::nullopt : std::optional(value.text())});
  }
}

void read_inputs(const Node& node, Program& program) {
  program.inputs = paths_of(node, "inputs");
}
void read_outputs(const Node& node, Program& program) {
  program.outputs = paths_of(node, "outputs");
}
void read_metrics(const Node& node, Program& program) {
  program.metrics = one_line(node);
}

/// Throws Error at the node for a format that is not known, and for an expression that is none.
void check_progress(const Node& node, const Program& program) {
  try {
    const progress::Recognizer recognizer({program.progress, program.pattern});
  } catch (const Error& error) {
    throw node.error(fmt::format("progress: {}", error.what()));
  }
}

void read_progress(const Node& node, Program& program) {
  if (node.kind == Node::Kind::scalar) {
    program.progress = one_line(node);
    check_progress(node, program);
    return;
  }
  read_parts(node, "progress", "the name of a format, or '{pattern: REGEX}'",
             {{"format", [&](const Node& value) { program.progress = one_line(value); }},
              {"pattern", [&](const Node& value) { program.pattern = one_line(value); }}});
  if (program.progress.empty() == program.pattern.empty()) {
    throw node.error("progress: expected a format or a pattern, one of the two");
  }
  check_progress(node, program);
}

void read_hook(const Node& node, Program& program) {
  program.hook = value_of<bool>(node, "hook", "");
}

void read_pilot(const Node& node, Program& program) {
  auto& pilot = program.pilot;
  read_parts(
      node, "pilot", "'{epochs: 2}', '{time: 5m}' or '{arguments: [...]}'",
      {{"epochs",
        [&](const Node& value) {
          pilot.epochs = value_of<std::int64_t>(value, "pilot.epochs", ">=1");
        }},
       {"time",
        [&](const Node& value) { pilot.time = value_of<Seconds>(value, "pilot.time", ">0"); }},
       {"arguments", [&](const Node& value) { pilot.arguments = words_of(value); }},
       {"share", [&](const Node& value) { pilot.share = words_of(value); }}});
  if (!pilot.is_given() && pilot.share.empty()) {
    throw node.error(
        "pilot: found nothing, expected '{epochs: 2}', '{time: 5m}' or '{arguments: [...]}'");
  }
}

/// The file of an argument such as "work/last.ckpt" or "--resume=work/last.ckpt"; "" for others.
std::string file_in(const std::string& word) {
  const bool is_option = word.starts_with('-');
  const auto equals = word.find('=');
  const auto value =
      is_option ? (equals == std::string::npos ? "" : word.substr(equals + 1)) : word;
  return value.find('/') == std::string::npos ? "" : value;
}

void read_resume(const Node& node, Program& program) {
  auto& resume = program.resume;
  if (node.kind == Node::Kind::map) {
    read_parts(node, "resume", "words, or '{arguments: [...], if: FILE}'",
               {{"arguments", [&](const Node& value) { resume.arguments = words_of(value); }},
                {"if", [&](const Node& value) { resume.files = paths_of(value, "resume.if"); }}});
  } else {
    resume.arguments = words_of(node);
    for (const auto& word : resume.arguments) {
      if (auto file = file_in(word); !file.empty()) {
        resume.files.push_back(std::move(file));
      }
    }
  }
  if (resume.arguments.empty()) {
    throw node.error(
        "resume: found no words, expected those that make the program go on, such as "
        "[--resume, work/last.ckpt]");
  }
}

void read_checkpoint_signal(const Node& node, Program& program) {
  auto name = node.text();
  name = name.starts_with("SIG") ? name.substr(3) : name;
  try {
    check_allowed(name, "USR1|USR2|TERM|INT|HUP|ALRM");
  } catch (const Error& error) {
    throw node.error(fmt::format("checkpoint_signal: {}", error.what()));
  }
  program.checkpoint_signal = "SIG" + name;
}

void read_checkpoint_lead(const Node& node, Program& program) {
  program.checkpoint_lead = value_of<Seconds>(node, "checkpoint_lead", ">0");
}

void collect(const std::string& key, const Node& node, std::vector<PlaceholderUse>& uses) {
  if (node.kind == Node::Kind::scalar) {
    try {
      for (auto& name : placeholders(node.scalar)) {
        uses.push_back({std::move(name), key, node});
      }
    } catch (const Error& error) {
      throw node.error(fmt::format("{}: {}", key, error.what()));
    }
  }
  for (const auto& item : node.list) {
    collect(key, item, uses);
  }
  for (const auto& [name, value] : node.map) {
    collect(key, value, uses);
  }
}

}  // namespace

const std::vector<ProgramKey>& program_keys() {
  static const std::vector<ProgramKey> all{
      {{"command", "list", "our trainer", "1",
        "Command line of your own program; {epochs} and other names in braces are replaced by the "
        "settings. The keys below are only for such a program, and their values may have "
        "placeholders too"},
       read_command},
      {{"folder", "text", "where 'generate' is called", "1",
        "Folder in which the program starts. It must exist, unless it begins with {work}"},
       read_folder},
      {{"environment", "map", "", "1",
        "Environment variables of the program. One without a value must be set where you submit; "
        "its value is written nowhere"},
       read_environment},
      {{"inputs", "list", "", "1",
        "Files and folders that must exist before the program starts; relative to the folder"},
       read_inputs},
      {{"outputs", "list", "", "1",
        "Files and folders that must exist when the program has ended; otherwise the run failed"},
       read_outputs},
      {{"progress", "text, or {pattern: REGEX}", "auto", "1",
        "Format of the program's progress: auto, none, or a name of `epochcast-run --help`; or a "
        "regular expression with named groups"},
       read_progress},
      {{"hook", "flag", "that of the profile", "1",
        "on: a Python program, which is not changed, is asked for its epochs (`epochcast-run "
        "--hook`)"},
       read_hook},
      {{"metrics", "text", "", "1",
        "File or folder with metrics that the program writes: TensorBoard's event files, or CSV"},
       read_metrics},
      {{"pilot", "{epochs: N, time: T, arguments: [...], share: [...]}", "{epochs: 2}", "1",
        "How `plan` shortens the program: it is stopped after the epochs or the time, or it gets "
        "these arguments at its end. Points that differ only in the settings under `share`, such "
        "as "
        "[lr], have one pilot"},
       read_pilot},
      {{"resume", "list, or {arguments: [...], if: FILE}", "", "1",
        "Arguments appended to the command when a point is started again after a stop. Those with "
        "a "
        "slash name files; without them the program starts over"},
       read_resume},
      {{"checkpoint_signal", "text", "", "1",
        "Signal that asks the program for a checkpoint if the forecast passes the time limit",
        "USR1|USR2|TERM|INT|HUP|ALRM"},
       read_checkpoint_signal},
      {{"checkpoint_lead", "duration", "that of `epochcast-run`", "s",
        "How long before the time limit that signal is sent", ">0"},
       read_checkpoint_lead}};
  return all;
}

const ProgramKey* find_program_key(const std::string& name) {
  const auto found = std::ranges::find_if(
      program_keys(), [&](const ProgramKey& key) { return key.description.name == name; });
  return found == program_keys().end() ? nullptr : &*found;
}

std::vector<PlaceholderUse> placeholder_uses(const std::string& key, const Node& value) {
  // A regular expression has braces of its own.
  std::vector<PlaceholderUse> uses;
  if (key != "progress" && key != "checkpoint_signal" && key != "checkpoint_lead") {
    collect(key, value, uses);
  }
  return uses;
}

}  // namespace epochcast::jobs
