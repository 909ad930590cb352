#include "jobs/experiment/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "src/base/core/error.hpp"
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

bool is_name(std::string_view name) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && std::ranges::all_of(name, is_part);
}

/// Walks `text`: plain characters to `plain`, the inside of {braces} to `name`.
template <class Plain, class Name>
void walk(const std::string& text, Plain&& plain, Name&& name) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == '{' || text[i] == '}') && doubled) {
      plain(text[i++]);
    } else if (text[i] == '{') {
      const auto end = text.find('}', i);
      if (end == std::string::npos) {
        throw Error(fmt::format(
            "found '{}' with a '{{' that is not closed; write '{{{{' for a brace", text));
      }
      name(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      plain(text[i]);
    }
  }
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

std::vector<std::string> placeholders(const std::string& text) {
  std::vector<std::string> names;
  walk(
      text, [](char) {},
      [&](const std::string& name) {
        if (!is_name(name)) {
          throw Error(fmt::format(
              "found '{{{}}}', expected the name of a setting in braces; write '{{{{' and '}}}}' "
              "for braces",
              name));
        }
        if (std::ranges::find(names, name) == names.end()) {
          names.push_back(name);
        }
      });
  return names;
}

std::string fill_placeholders(const std::string& text, const Settings& values) {
  std::string filled;
  walk(
      text, [&](char c) { filled += c; },
      [&](const std::string& name) {
        const auto* value = find_setting(values, name);
        if (value == nullptr) {
          throw Error(fmt::format("{{{}}} has no value", name));
        }
        filled += *value;
      });
  return filled;
}

std::string with_literal_braces(const std::string& text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c;
    if (c == '{' || c == '}') {
      doubled += c;
    }
  }
  return doubled;
}

}  // namespace epochcast::jobs
