#include "src/base/cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"

namespace epochcast::cli {
namespace {

namespace po = boost::program_options;

/// A flag whose value may be omitted: --resume is --resume=true.
bool is_flag(const Option& option) {
  return option.value == type_name(bool{});
}

void declare(po::options_description& description, const Option& option, const std::string& name) {
  if (option.value.empty()) {
    description.add_options()(name.c_str(), "");
    return;
  }
  auto* value = po::value<std::vector<std::string>>()->composing();
  description.add_options()(name.c_str(),
                            is_flag(option) ? value->implicit_value({"true"}, "") : value, "");
}

po::options_description describe(const CommandSpec& spec) {
  po::options_description description;
  for (const auto& option : spec.options) {
    declare(description, option, option.name);
    auto underscored = option.long_name();
    std::ranges::replace(underscored, '-', '_');
    if (underscored != option.long_name()) {
      declare(description, option, underscored);
    }
  }
  description.add_options()("help,h", "");
  return description;
}

[[noreturn]] void refuse_unknown(const CommandSpec& spec, std::string found) {
  found.resize(std::min(found.find('='), found.size()));
  const auto known = mapped(spec.options, [](const auto& option) { return option.long_name(); });
  const auto name = found.substr(std::min(found.find_first_not_of('-'), found.size()));
  const auto gone = spec.gone.find(name);
  throw Error(
      fmt::format("unknown option '{}'{}", found,
                  gone == spec.gone.end() ? did_you_mean(name, known) : "; " + gone->second));
}

/// Removes the options with an open prefix from `words` and returns them: Boost accepts declared
/// options only.
std::vector<std::pair<std::string, std::string>> take_open(const std::vector<std::string>& prefixes,
                                                           std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> open;
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto is_open = [&](const std::string& word) {
    return word.starts_with("--") && starts_with_any(std::string_view(word).substr(2), prefixes);
  };
  const auto first =
      std::stable_partition(words.begin(), end, [&](const auto& word) { return !is_open(word); });
  for (const auto& word : std::vector(first, end)) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("option '{}' needs a value: {}=VALUE", word, word));
    }
    auto name = word.substr(2, equals - 2);
    std::replace(name.begin(), name.end(), '-', '_');
    open.emplace_back(std::move(name), word.substr(equals + 1));
  }
  words.erase(first, end);
  return open;
}

constexpr auto words_name = "positional words";  // contains a blank, so that no user can pass it

std::vector<po::option> parse(const CommandSpec& spec, const std::vector<std::string>& words) {
  auto description = describe(spec);
  description.add_options()(words_name, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(words_name, -1);
  try {
    return po::command_line_parser(words)
        .options(description)
        .positional(positional)
        .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
        .run()
        .options;
  } catch (const po::unknown_option& error) {
    refuse_unknown(spec, error.get_option_name());
  } catch (const po::error& error) {
    throw Error(fmt::format("{} (see --help)", error.what()));
  }
}

/// Boost parses "--cluster --dry-run" as a cluster with the name "--dry-run".
void refuse_swallowed_option(const po::option& option) {
  const auto& tokens = option.original_tokens;
  if (option.position_key < 0 && tokens.size() > 1 && tokens[1].starts_with("--")) {
    throw Error(
        fmt::format("option '--{}' needs a value, found '{}'", option.string_key, tokens[1]));
  }
}

void check_counts(const CommandSpec& spec, const Arguments& arguments) {
  for (const auto& option : spec.options) {
    if (!option.repeated && arguments.all(option.long_name()).size() > 1) {
      throw Error(fmt::format("option '--{}' is given more than once", option.long_name()));
    }
  }
  if (spec.positional.empty() && !arguments.positional().empty() && !arguments.has("help")) {
    throw Error(fmt::format("found '{}', expected no further words (see --help)",
                            arguments.positional().front()));
  }
}

}  // namespace

std::string Arguments::get(const std::string& name) const {
  if (const auto given = values_.find(name); given != values_.end() && !given->second.empty()) {
    return given->second.back();
  }
  const auto fallback = defaults_.find(name);
  return fallback == defaults_.end() ? "" : fallback->second;
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  const auto given = values_.find(name);
  return given == values_.end() ? std::vector<std::string>{} : given->second;
}

std::string option_name(std::string_view field_name) {
  std::string name(field_name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

namespace {

/// Whether the argument after this one is its value.
bool takes_next_word(const CommandSpec& spec, const std::string& word) {
  return std::ranges::any_of(spec.options, [&](const Option& option) {
    const auto comma = option.name.find(',');
    const bool is_it = word == "--" + option.long_name() ||
                       (comma != std::string::npos && word == "-" + option.name.substr(comma + 1));
    return is_it && !option.value.empty() && option.value != "flag";
  });
}

/// Of a command without "--" before it: its options would be taken for ours.
void refuse_bare_command(const CommandSpec& spec, const std::vector<std::string>& words) {
  if (spec.positional != "COMMAND..." || std::ranges::find(words, "--") != words.end()) {
    return;
  }
  auto first = words.begin();
  while (first != words.end() && first->starts_with('-')) {
    first += takes_next_word(spec, *first) && first + 1 != words.end() ? 2 : 1;
  }
  const auto option =
      std::find_if(first, words.end(), [](const auto& word) { return word.starts_with('-'); });
  if (option != words.end()) {
    throw Error(fmt::format(
        "put '--' before the command '{}', so that '{}' is an option of the command; usage: {}",
        printable(*first), printable(*option), spec.usage));
  }
}

}  // namespace

Arguments parse_command_line(const CommandSpec& spec, const std::vector<std::string>& words) {
  refuse_bare_command(spec, words);
  Arguments arguments;
  auto ours = words;
  arguments.open_ = take_open(spec.open_prefixes, ours);
  for (const auto& option : parse(spec, ours)) {
    refuse_swallowed_option(option);
    const auto name = option_name(option.string_key);
    auto& values = name == words_name ? arguments.positional_ : arguments.values_[name];
    values.insert(values.end(), option.value.begin(), option.value.end());
    if (option.value.empty()) {  // a switch, or a flag without its value
      values.emplace_back("true");
    }
  }
  for (const auto& option : spec.options) {
    arguments.defaults_[option.long_name()] = option.default_value;
  }
  check_counts(spec, arguments);
  return arguments;
}

std::string help_text(const CommandSpec& spec) {
  std::string text = fmt::format("usage: {}\n\n{}\n", spec.usage, spec.summary);
  for (const auto& option : spec.options) {
    const auto comma = option.name.find(',');
    const auto letter =
        comma == std::string::npos ? "    " : fmt::format("-{}, ", option.name.substr(comma + 1));
    const auto left = fmt::format("  {}--{}{}{}", letter, option.long_name(),
                                  option.value.empty() ? "" : " ", option.value);
    const auto preset = option.default_value.empty() || option.value.empty()
                            ? ""
                            : fmt::format(" [{}]", option.default_value);
    text += fmt::format("{}{:<32} {}{}\n", &option == spec.options.data() ? "\n" : "", left,
                        option.meaning, preset);
  }
  if (!spec.example.empty()) {
    text += fmt::format("\nexample: {}\n", spec.example);
  }
  return text;
}

std::int64_t count_of(const Arguments& arguments, const std::string& name) {
  std::int64_t count = 0;
  read_option(arguments, name, count, ">=1");
  return count;
}

}  // namespace epochcast::cli
