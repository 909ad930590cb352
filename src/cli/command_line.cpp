#include "src/cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>

#include "src/core/error.hpp"

namespace epochcast::cli {
namespace {

namespace po = boost::program_options;

/// A yes or no whose value is optional: --resume is --resume=true.
bool is_flag(const Option& option) {
  return option.value == type_name(bool{});
}

void declare(po::options_description& description, const Option& option, const std::string& name) {
  auto add = description.add_options();
  if (option.value.empty()) {
    add(name.c_str(), "");
  } else if (is_flag(option)) {
    add(name.c_str(),
        po::value<std::vector<std::string>>()->composing()->implicit_value({"true"}, ""));
  } else {
    add(name.c_str(), po::value<std::vector<std::string>>()->composing(), "");
  }
}

po::options_description describe(const CommandSpec& spec) {
  po::options_description description;
  for (const auto& option : spec.options) {
    declare(description, option, option.name);
    for (const auto& old_name : option.old_names) {
      declare(description, option, old_name);
    }
  }
  description.add_options()("help,h", "");
  return description;
}

[[noreturn]] void refuse_unknown(const CommandSpec& spec, std::string found) {
  found.resize(std::min(found.find('='), found.size()));
  std::vector<std::string> known;
  for (const auto& option : spec.options) {
    known.push_back(long_name(option));
  }
  const auto name = found.substr(std::min(found.find_first_not_of('-'), found.size()));
  throw Error(fmt::format("unknown option '{}'{}", found, did_you_mean(name, known)));
}

/// Takes the options under an open prefix out of `words`: Boost wants every option declared.
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
    open.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
  }
  words.erase(first, end);
  return open;
}

constexpr auto words_name = "words that are no option";  // with blanks, so that nobody can give it

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

/// Boost takes "--cluster --dry-run" as a cluster of the name "--dry-run".
void refuse_swallowed_option(const po::option& option) {
  const auto& tokens = option.original_tokens;
  if (option.position_key < 0 && tokens.size() > 1 && tokens[1].starts_with("--")) {
    throw Error(
        fmt::format("option '--{}' needs a value, found '{}'", option.string_key, tokens[1]));
  }
}

/// The present name of an option that may have been given under an old one.
std::string present_name(const CommandSpec& spec, const std::string& given) {
  for (const auto& option : spec.options) {
    if (std::ranges::find(option.old_names, given) != option.old_names.end()) {
      return long_name(option);
    }
  }
  return given;
}

void check_counts(const CommandSpec& spec, const Arguments& arguments) {
  for (const auto& option : spec.options) {
    if (!option.repeated && arguments.all(long_name(option)).size() > 1) {
      throw Error(fmt::format("option '--{}' is given more than once", long_name(option)));
    }
  }
  if (spec.positional.empty() && !arguments.positional().empty() && !arguments.has("help")) {
    throw Error(fmt::format("found '{}', expected no more words (see --help)",
                            arguments.positional().front()));
  }
}

}  // namespace

std::string long_name(const Option& option) {
  return option.name.substr(0, option.name.find(','));
}

std::string option_name(std::string_view field_name) {
  std::string name(field_name);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::vector<std::string> old_option_names(std::string_view field_name,
                                          std::string_view old_field_name) {
  std::vector<std::string> names;
  for (const auto& name : {field_name, old_field_name}) {
    if (!name.empty() && name != option_name(field_name)) {
      names.emplace_back(name);
    }
  }
  return names;
}

std::string Arguments::get(const std::string& name) const {
  if (const auto given = values_.find(name); given != values_.end() && !given->second.empty()) {
    return given->second.back();
  }
  const auto otherwise = defaults_.find(name);
  return otherwise == defaults_.end() ? "" : otherwise->second;
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  const auto given = values_.find(name);
  return given == values_.end() ? std::vector<std::string>{} : given->second;
}

Arguments parse_command_line(const CommandSpec& spec, const std::vector<std::string>& words) {
  Arguments arguments;
  auto ours = words;
  arguments.open_ = take_open(spec.open_prefixes, ours);
  for (const auto& option : parse(spec, ours)) {
    refuse_swallowed_option(option);
    auto& values = option.string_key == words_name
                       ? arguments.positional_
                       : arguments.values_[present_name(spec, option.string_key)];
    values.insert(values.end(), option.value.begin(), option.value.end());
    if (option.value.empty()) {  // a switch, or a flag without its value
      values.emplace_back("true");
    }
  }
  for (const auto& option : spec.options) {
    arguments.defaults_[long_name(option)] = option.default_value;
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
    const auto left = fmt::format("  {}--{}{}{}", letter, long_name(option),
                                  option.value.empty() ? "" : " ", option.value);
    const auto otherwise = option.default_value.empty() || option.value.empty()
                               ? ""
                               : fmt::format(" [{}]", option.default_value);
    text += fmt::format("{}{:<32} {}{}\n", &option == spec.options.data() ? "\n" : "", left,
                        option.meaning, otherwise);
  }
  if (!spec.example.empty()) {
    text += fmt::format("\nexample: {}\n", spec.example);
  }
  return text;
}

}  // namespace epochcast::cli
