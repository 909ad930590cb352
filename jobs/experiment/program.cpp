#include "jobs/experiment/program.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "jobs/experiment/placeholders.hpp"
#include "src/base/core/files.hpp"
#include "src/record/run/checkpoint_lead.hpp"

namespace epochcast::jobs {
namespace {

/// Calls `visit(key, text)` with every text that may have placeholders; `program` may be const.
template <class AnyProgram, class Visit>
void visit_texts(AnyProgram& program, Visit&& visit) {
  const auto all = [&](const char* key, auto& texts) {
    for (auto& text : texts) {
      visit(key, text);
    }
  };
  all("command", program.command);
  visit("folder", program.folder);
  for (auto& variable : program.environment) {
    if (variable.value) {
      visit("environment", *variable.value);
    }
  }
  all("inputs", program.inputs);
  all("outputs", program.outputs);
  visit("metrics", program.metrics);
  all("pilot", program.pilot.arguments);
  all("resume", program.resume.arguments);
  all("resume", program.resume.files);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> texts_of(const Program& program) {
  std::vector<std::pair<std::string, std::string>> texts;
  visit_texts(program,
              [&](const char* key, const std::string& text) { texts.emplace_back(key, text); });
  return texts;
}

Program filled(const Program& program, const Settings& values) {
  Program full = program;
  visit_texts(full,
              [&](const char*, std::string& text) { text = fill_placeholders(text, values); });
  const std::filesystem::path folder =
      absolute_path(full.folder.empty() ? "." : full.folder).lexically_normal();
  full.folder =
      folder.filename().empty() && folder.has_relative_path() ? folder.parent_path() : folder;
  const auto make_absolute = [&](std::string& path) {
    path = (std::filesystem::path(full.folder) / path).lexically_normal();
  };
  for (auto* paths : {&full.inputs, &full.outputs, &full.resume.files}) {
    std::ranges::for_each(*paths, make_absolute);
  }
  if (!full.metrics.empty()) {
    make_absolute(full.metrics);
  }
  return full;
}

Seconds lead_before_limit(const Program& program, Seconds signal_lead) {
  const double own_s = program.checkpoint_signal.empty()
                           ? 0
                           : run::checkpoint_lead_s(program.checkpoint_lead.value, HUGE_VAL);
  return {std::max(signal_lead.value, own_s)};
}

bool is_made(const std::string& folder) {
  return folder.starts_with("{work}");
}

}  // namespace epochcast::jobs
