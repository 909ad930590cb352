#include "jobs/experiment/first_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "jobs/experiment/command_notes.hpp"
#include "jobs/experiment/experiment.hpp"
#include "jobs/experiment/program.hpp"
#include "src/base/core/command_words.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

/// `text` as a scalar of YAML in one line, quoted only if necessary.
std::string yaml_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./+-=").find(char(c)) != std::string::npos;
  };
  const bool has_word = std::ranges::any_of(text, [](unsigned char c) { return std::isalnum(c); });
  const bool plain =
      has_word && text[0] != '=' && to_lower(text) != "null" && std::ranges::all_of(text, is_plain);
  if (plain) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted += c == '\n' ? "\\n" : c == '\t' ? "\\t" : fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    }
  }
  return quoted + '"';
}

std::string yaml_list(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const auto& word : words) {
    parts.push_back(yaml_word(word));
  }
  return fmt::format("[{}]", join(parts, ", "));
}

/// Names that mean something else in an experiment.
bool is_taken(const std::string& name) {
  static const std::set<std::string> taken = [] {
    std::set<std::string> names{given_placeholders().begin(), given_placeholders().end()};
    for (const auto& key : experiment_keys()) {
      names.insert(key.name);
    }
    return names;
  }();
  return taken.contains(name);
}

/// Whether the value of an option of this name is written by the program.
bool is_output_name(const std::string& name) {
  const auto lower = to_lower(name);
  return std::ranges::any_of(
      std::vector<std::string>{"out", "save", "log", "ckpt", "checkpoint", "result", "export",
                               "resume", "work"},
      [&](const std::string& part) { return lower.find(part) != std::string::npos; });
}

bool is_assignment(const std::string& word) {
  const auto equals = word.find('=');
  const auto name = word.substr(0, equals);
  return equals != std::string::npos && !name.empty() &&
         std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// `word` with doubled braces, except those of placeholders that always have a value: "{work}".
std::string with_given_placeholders(const std::string& word) {
  auto text = with_literal_braces(word);
  for (const auto& name : given_placeholders()) {
    const auto doubled = "{{" + name + "}}";
    for (auto at = text.find(doubled); at != std::string::npos; at = text.find(doubled, at)) {
      text.replace(at, doubled.size(), "{" + name + "}");
    }
  }
  return text;
}

class Draft {
 public:
  Draft(std::vector<std::string> words, fs::path folder)
      : words_(std::move(words)), folder_(std::move(folder)) {
    take_environment();
    if (words_.empty()) {
      throw Error("found no program behind the environment variables");
    }
    take_settings();
    take_inputs();
  }

  FirstExperiment finish(const std::string& given_name, const std::string& from) const {
    const auto name = given_name.empty() ? program_name(words_) : given_name;
    FirstExperiment first{.name = name, .text = text(name, from)};
    for (const auto& [setting, value] : settings_) {
      first.settings.push_back(setting);
    }
    first.notes = command_notes(words_, folder_);
    first.has_length = find_setting(settings_, "epochs") || find_setting(settings_, "steps");
    return first;
  }

 private:
  void take_environment() {
    std::size_t count = !words_.empty() && words_[0] == "env" ? 1 : 0;
    const auto first = count;
    while (count < words_.size() && is_assignment(words_[count])) {
      environment_.push_back(parse_setting(words_[count++]));
    }
    if (count > first) {
      words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  /// The words with placeholders for the values that are numbers.
  void take_settings() {
    for (const auto& word : words_) {
      command_.push_back(with_given_placeholders(word));
    }
    for (const auto& option : options_of(words_)) {
      const auto number = parse_double(option.value);
      if (!number || !std::isfinite(*number)) {
        continue;
      }
      auto name = setting_name(option.name, option.value);
      name = find_setting(settings_, name) == nullptr ? name : option.name;
      if (is_taken(name) || find_setting(settings_, name) != nullptr) {
        continue;
      }
      const bool is_length = name == "epochs" || name == "steps";
      if (is_length && (*number < 1 || *number != std::floor(*number))) {
        continue;
      }
      settings_.emplace_back(name, is_length ? fmt::format("{:.0f}", *number) : option.value);
      command_[option.word] =
          with_given_placeholders(words_[option.word].substr(0, option.offset)) + "{" + name + "}";
    }
  }

  void add_input(const std::string& path) {
    std::error_code ignored;
    const bool is_folder_itself = fs::path(path).lexically_normal().string().starts_with(".");
    if (!path.empty() && !is_folder_itself && fs::exists(folder_ / path, ignored) &&
        std::ranges::find(inputs_, path) == inputs_.end()) {
      inputs_.push_back(path);
    }
  }

  /// The script, and what else is there: data, files of settings.
  void take_inputs() {
    std::map<std::size_t, CommandOption> options;
    for (const auto& option : options_of(words_)) {
      options.emplace(option.word, option);
    }
    for (std::size_t i = script_word(words_); i < words_.size(); ++i) {
      const auto option = options.find(i);
      if (option == options.end()) {
        if (i > 0 || words_[i].find('/') != std::string::npos) {
          add_input(words_[i]);
        }
      } else if (!is_output_name(option->second.name) && !parse_double(option->second.value)) {
        add_input(option->second.value);
      }
    }
  }

  std::string text(const std::string& name, const std::string& from) const {
    std::string text = fmt::format(
        "# Made by 'epochcast-jobs init' from: {}\n"
        "# All keys: docs/howto/experiments.md, \"A program of your own\".\n"
        "name: {}\nfolder: {}\ncommand: {}\n",
        printable(from), yaml_word(name), yaml_word(with_literal_braces(folder_)),
        yaml_list(command_));
    if (!environment_.empty()) {
      text += "environment:\n";
      for (const auto& [variable, value] : environment_) {
        text += fmt::format("  {}: {}\n", variable, yaml_word(with_given_placeholders(value)));
      }
    }
    if (!inputs_.empty()) {
      std::vector<std::string> literal;
      for (const auto& input : inputs_) {
        literal.push_back(with_literal_braces(input));
      }
      text += fmt::format("inputs: {}\n", yaml_list(literal));
    }
    for (const auto& [setting, value] : settings_) {
      text += fmt::format("{}: {}\n", setting, yaml_word(value));
    }
    return text + hints();
  }

  std::string hints() const {
    std::string hints = find_setting(settings_, "epochs") != nullptr
                            ? "pilot: {epochs: 2}   # 'plan' stops the program after this\n"
                            : "pilot: {time: 5m}    # 'plan' stops the program after this\n";
    if (find_setting(settings_, "epochs") == nullptr &&
        find_setting(settings_, "steps") == nullptr) {
      hints += "# epochs: 10         # if the program does not print how many it does\n";
    }
    if (!settings_.empty()) {
      const auto& [name, value] = settings_.back();
      hints += fmt::format(
          "# sweep: {{{}: [{}, ...]}}   # several values; remove the line '{}:' above\n", name,
          yaml_word(value), name);
    }
    return hints +
           "# progress: {pattern: 'epoch (?<epoch>\\d+)'}   # if no epochs are "
           "recognized\n"
           "# outputs: [model.pt]                    # must exist at the end\n"
           "# resume: [--resume, \"{work}/last.ckpt\"]   # words to go on after a time limit\n";
  }

  std::vector<std::string> words_;
  fs::path folder_;
  Settings environment_;
  std::vector<std::string> command_;
  Settings settings_;
  std::vector<std::string> inputs_;
};

}  // namespace

FirstExperiment first_experiment(const std::vector<std::string>& words, const std::string& folder,
                                 const std::string& name) {
  std::vector<std::string> quoted;
  for (const auto& word : words) {
    quoted.push_back(shell_quote(word));
  }
  auto first = Draft(words, folder).finish(name, join(quoted, " "));
  std::ignore = experiment_from(run::yaml::parse_text(first.text, first.name + ".yaml"));
  return first;
}

}  // namespace epochcast::jobs
