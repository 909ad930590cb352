#include "jobs/script/program_words.hpp"

#include <fmt/format.h>

#include "jobs/script/sbatch_header.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

std::string quoted(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const auto& word : words) {
    all.push_back(shell_quote(word));
  }
  return join(all, " ");
}

/// An option with a value that may begin with a dash.
void add_option(std::vector<std::string>& words, std::string_view name, const std::string& value) {
  words.push_back(fmt::format("--{}={}", name, shell_quote(value)));
}

/// Where a pilot ends; a whole run is watched for its outputs and its time limit instead.
void add_end(std::vector<std::string>& words, const Point& point, const Program& program) {
  if (point.cut) {
    if (point.cut->epochs > 0) {
      add_option(words, "pilot-epochs", std::to_string(point.cut->epochs));
    }
    if (point.cut->time.value > 0) {
      add_option(words, "pilot-time", to_text(point.cut->time));
    }
    return;
  }
  for (const auto& output : program.outputs) {
    add_option(words, "output", output);
  }
  if (!program.checkpoint_signal.empty()) {
    add_option(words, "checkpoint-signal", program.checkpoint_signal);
  }
  if (program.checkpoint_lead.value > 0) {
    add_option(words, "checkpoint-lead", to_text(program.checkpoint_lead));
  }
}

}  // namespace

bool resumes(const Point& point) {
  return !point.cut && !point.program.resume.arguments.empty();
}

Program program_in(const Point& point, const std::string& out) {
  auto values = point.placeholders;
  values.emplace_back("work", fmt::format("{}/work/{}", out, point.id));
  return filled(point.program, values);
}

std::vector<std::string> program_words(const Point& point, const Program& program) {
  std::vector<std::string> words;
  for (const auto& parameter : point.parameters) {
    add_option(words, "parameter", parameter.name + "=" + parameter.value);
  }
  if (program.command != point.program.command) {  // repeats have the same command in their records
    add_option(words, "parameter", "command=" + quoted(point.program.command));
  }
  add_option(words, "folder", program.folder);
  for (const auto& input : program.inputs) {
    add_option(words, "input", input);
  }
  if (!program.progress.empty()) {
    add_option(words, "progress", program.progress);
  }
  if (!program.pattern.empty()) {
    add_option(words, "pattern", program.pattern);
  }
  if (!program.metrics.empty()) {
    add_option(words, "metrics", program.metrics);
  }
  add_end(words, point, program);
  if (resumes(point)) {
    words.emplace_back(R"(${from:+--resumed-from="$from"})");
  }
  words.emplace_back("--");
  for (const auto& word : program.command) {
    words.push_back(shell_quote(word));
  }
  if (resumes(point)) {
    words.emplace_back(R"(${again[@]+"${again[@]}"})");
  }
  return words;
}

std::string environment_prefix(const Program& program) {
  std::string prefix;
  for (const auto& variable : program.environment) {
    if (variable.value) {
      prefix += fmt::format("{}={} ", variable.name, shell_quote(*variable.value));
    }
  }
  return prefix;
}

std::vector<std::string> names_of_environment(const Program& program) {
  std::vector<std::string> names;
  for (const auto& variable : program.environment) {
    names.push_back(variable.name);
  }
  return names;
}

std::string program_preparation(const Point& point, const Program& program) {
  Lines lines;
  if (is_made(point.program.folder)) {
    lines.add("mkdir -p {}", shell_quote(program.folder));
  }
  for (const auto& variable : program.environment) {
    if (!variable.value) {
      lines.add("epochcast_pass_on {}", variable.name);
    }
  }
  if (resumes(point)) {
    auto words = program.resume.files;
    words.emplace_back("--");
    words.insert(words.end(), program.resume.arguments.begin(), program.resume.arguments.end());
    lines.add("epochcast_go_on {}", quoted(words));
  }
  return std::move(lines).text();
}

}  // namespace epochcast::jobs
