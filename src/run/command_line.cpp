#include "src/run/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>

#include "src/core/error.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

std::string long_name(const Option& option) { return option.name.substr(0, option.name.find(',')); }

po::options_description describe(const CommandSpec& spec) {
  po::options_description description;
  for (const auto& option : spec.options) {
    if (option.value.empty()) {
      description.add_options()(option.name.c_str(), "");
    } else {
      description.add_options()(option.name.c_str(), po::value<std::vector<std::string>>()->composing(), "");
    }
  }
  description.add_options()("help,h", "");
  return description;
}

[[noreturn]] void refuse_unknown(const CommandSpec& spec, std::string found) {
  found.erase(0, found.find_first_not_of('-'));
  found.resize(std::min(found.find('='), found.size()));
  std::vector<std::string> known;
  for (const auto& option : spec.options) {
    known.push_back(long_name(option));
  }
  throw Error(fmt::format("unknown option '--{}'{}", found, did_you_mean(found, known)));
}

}  // namespace

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
  std::vector<std::string> ours;
  bool only_words = false;
  for (const auto& word : words) {  // options under an open prefix are taken out first: Boost must declare all
    const auto name = word.substr(std::min<std::size_t>(2, word.size()));
    only_words = only_words || word == "--";
    if (!only_words && word.starts_with("--") && starts_with_any(name, spec.open_prefixes)) {
      const auto equals = name.find('=');
      if (equals == std::string::npos) {
        throw Error(fmt::format("option '{}' needs a value: {}=VALUE", word, word));
      }
      arguments.open_.emplace_back(name.substr(0, equals), name.substr(equals + 1));
    } else {
      ours.push_back(word);
    }
  }
  const auto description = describe(spec);
  po::positional_options_description positional;
  po::options_description all;
  all.add(description).add_options()("__words", po::value<std::vector<std::string>>());
  positional.add("__words", -1);
  try {
    const auto parsed = po::command_line_parser(ours)
                            .options(all)
                            .positional(positional)
                            .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                            .run();
    for (const auto& option : parsed.options) {
      auto& values = option.string_key == "__words" ? arguments.positional_
                                                    : arguments.values_[option.string_key];
      values.insert(values.end(), option.value.begin(), option.value.end());
    }
  } catch (const po::unknown_option& error) {
    refuse_unknown(spec, error.get_option_name());
  } catch (const po::error& error) {
    throw Error(fmt::format("{} (see --help)", error.what()));
  }
  for (const auto& option : spec.options) {
    arguments.defaults_[long_name(option)] = option.default_value;
    if (!option.repeated && arguments.all(long_name(option)).size() > 1) {
      throw Error(fmt::format("option '--{}' is given more than once", long_name(option)));
    }
  }
  if (spec.positional.empty() && !arguments.positional_.empty() && !arguments.has("help")) {
    throw Error(fmt::format("found '{}' where no more words are expected (see --help)",
                            arguments.positional_.front()));
  }
  return arguments;
}

std::string help_text(const CommandSpec& spec) {
  std::string text = fmt::format("usage: {}\n\n{}\n", spec.usage, spec.summary);
  for (const auto& option : spec.options) {
    const auto comma = option.name.find(',');
    const auto letter = comma == std::string::npos ? "    " : fmt::format("-{}, ", option.name.substr(comma + 1));
    const auto left = fmt::format("  {}--{}{}{}", letter, long_name(option), option.value.empty() ? "" : " ",
                                  option.value);
    const auto otherwise = option.default_value.empty() || option.value.empty()
                               ? ""
                               : fmt::format(" [{}]", option.default_value);
    text += fmt::format("{}{:<32} {}{}\n", &option == spec.options.data() ? "\n" : "", left, option.meaning,
                        otherwise);
  }
  if (!spec.example.empty()) {
    text += fmt::format("\nexample: {}\n", spec.example);
  }
  return text;
}

}  // namespace epochcast
