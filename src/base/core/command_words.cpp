#include "src/base/core/command_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

bool is_script(const std::string& word) {
  constexpr std::array ends{".py", ".sh", ".jl", ".R", ".lua", ".pl"};
  return !word.starts_with('-') &&
         std::ranges::any_of(ends, [&](const char* end) { return word.ends_with(end); });
}

/// Modules that start another script.
bool is_launcher(const std::string& module) {
  constexpr std::array launchers{"torch.distributed.run", "torch.distributed.launch",
                                 "accelerate.commands.launch", "deepspeed.launcher.runner"};
  return std::ranges::find(launchers, module) != launchers.end();
}

/// Usual names, as setting_name compares them: without case, '-', '_' and '.'.
constexpr std::array names_of_epochs{"epochs",      "numepochs",   "numtrainepochs",  "maxepochs",
                                     "nepochs",     "nepoch",      "nbepochs",        "epoch",
                                     "trainepochs", "totalepochs", "trainermaxepochs"};
constexpr std::array names_of_steps{
    "steps",      "maxsteps",      "numsteps",      "trainsteps",    "totalsteps",
    "maxiters",   "iters",         "niters",        "iterations",    "maxiterations",
    "trainiters", "numiterations", "numtrainsteps", "maxtrainsteps", "trainermaxsteps"};

bool is_number(const std::string& text) {
  const auto value = parse_double(text);
  return value && std::isfinite(*value);
}

/// Whether it is a whole number above 0.
bool is_count(const std::string& text) {
  const auto value = parse_double(text);
  return value && *value >= 1 && *value < 1e15 && *value == std::floor(*value);
}

/// "learning_rate" of "--learning-rate"; "" for a word that names no option.
std::string option_name(std::string_view word) {
  while (word.starts_with('-')) {
    word.remove_prefix(1);
  }
  std::string name;
  for (const char c : word) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    if (!plain && c != '-') {
      return "";
    }
    name += c == '-' ? '_' : c;
  }
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 ? name : "";
}

std::optional<CommandOption> with_equals(const std::vector<std::string>& words, std::size_t i) {
  const auto equals = words[i].find('=');
  if (equals == std::string::npos || equals == 0) {
    return std::nullopt;
  }
  auto name = option_name(std::string_view(words[i]).substr(0, equals));
  if (name.empty()) {
    return std::nullopt;
  }
  return CommandOption{i, equals + 1, std::move(name), words[i].substr(equals + 1)};
}

std::optional<CommandOption> with_next(const std::vector<std::string>& words, std::size_t i) {
  if (!words[i].starts_with('-') || is_number(words[i]) || i + 1 == words.size()) {
    return std::nullopt;
  }
  const auto& value = words[i + 1];
  auto name = option_name(words[i]);
  if (name.empty() || (value.starts_with('-') && !is_number(value))) {
    return std::nullopt;
  }
  return CommandOption{i + 1, 0, std::move(name), value};
}

std::string compared(const std::string& name) {
  std::string plain;
  for (const char c : to_lower(name)) {
    plain += c == '-' || c == '_' || c == '.' ? "" : std::string(1, c);
  }
  return plain;
}

}  // namespace

std::size_t script_word(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "-m" && !is_launcher(words[i])) {
      return i;
    }
    if (is_script(words[i])) {
      return i;
    }
  }
  return 0;
}

bool starts_several(const std::vector<std::string>& words) {
  constexpr std::array programs{"torchrun", "accelerate", "deepspeed", "mpirun",
                                "mpiexec",  "horovodrun", "colossalai"};
  const auto end =
      words.begin() +
      static_cast<std::ptrdiff_t>(words.empty() ? 0 : std::max<std::size_t>(1, script_word(words)));
  return std::any_of(words.begin(), end, [&](const std::string& word) {
    const auto name = std::filesystem::path(word).filename().string();
    return is_launcher(word) || std::ranges::find(programs, name) != programs.end();
  });
}

std::string program_name(const std::vector<std::string>& words) {
  const auto at = script_word(words);
  const auto& word = words.at(at);
  const bool is_module = at > 0 && words[at - 1] == "-m";
  const auto name =
      is_module ? word.substr(word.rfind('.') + 1) : std::filesystem::path(word).stem().string();
  return name.empty() ? "program" : name;
}

std::vector<CommandOption> options_of(const std::vector<std::string>& words) {
  std::vector<CommandOption> options;
  for (std::size_t i = script_word(words) + 1; i < words.size(); ++i) {
    auto found = with_equals(words, i);
    found = found ? found : with_next(words, i);
    if (found) {
      i = found->word;
      options.push_back(std::move(*found));
    }
  }
  return options;
}

std::string setting_name(const std::string& name, const std::string& value) {
  if (!is_count(value)) {
    return name;
  }
  const auto plain = compared(name);
  if (std::ranges::find(names_of_epochs, plain) != names_of_epochs.end()) {
    return "epochs";
  }
  return std::ranges::find(names_of_steps, plain) != names_of_steps.end() ? "steps" : name;
}

std::optional<std::int64_t> epochs_in(const std::vector<std::string>& words) {
  std::optional<std::int64_t> epochs;
  for (const auto& option : options_of(words)) {
    const auto name = setting_name(option.name, option.value);
    const bool may_be_a_start = compared(option.name) == "epoch";
    if (name == "steps") {
      return std::nullopt;
    }
    if (name == "epochs" && !may_be_a_start && is_count(option.value)) {
      const auto value = static_cast<std::int64_t>(*parse_double(option.value));
      if (epochs && *epochs != value) {
        return std::nullopt;
      }
      epochs = value;
    }
  }
  return epochs;
}

}  // namespace epochcast
