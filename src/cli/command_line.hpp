// Command lines: the options of a subcommand, declared as data. Boost.ProgramOptions parses them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.hpp"
#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"
#include "src/core/text.hpp"
#include "src/run/field_values.hpp"

namespace epochcast::cli {

struct Option {
  std::string name;   ///< "cluster", or "output,o" with a one-letter form.
  std::string value;  ///< "NAME" as in the help; empty: a switch without a value; "flag": "=true"
                      ///< is optional.
  std::string meaning;
  std::string default_value = {};
  bool repeated = false;                    ///< May be given several times.
  std::vector<std::string> old_names = {};  ///< Accepted too, but not shown in the help.
  std::vector<std::string> choices = {};    ///< Its values, if it has a list of them.
};

/// The name without its one-letter form.
std::string long_name(const Option& option);

/// A subcommand: its help and its options.
struct CommandSpec {
  std::string usage;  ///< "epochcast-jobs generate EXPERIMENT --cluster C -o OUT"
  std::string summary;
  std::string example;
  std::vector<Option> options;
  std::string positional = {};  ///< "RECORDS..."; empty: none are taken.
  std::vector<std::string> open_prefixes =
      {};  ///< Options that are accepted without a declaration: "model.", "dataset.".
};

class Arguments {
 public:
  bool has(const std::string& name) const { return values_.contains(name); }
  /// The (last) value given, else the option's default, else "".
  std::string get(const std::string& name) const;
  std::vector<std::string> all(const std::string& name) const;
  const std::vector<std::string>& positional() const { return positional_; }
  /// Options given that matched an open prefix, in order: ("model.depth", "3").
  const std::vector<std::pair<std::string, std::string>>& open() const { return open_; }

 private:
  friend Arguments parse_command_line(const CommandSpec&, const std::vector<std::string>&);
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, std::string> defaults_;
  std::vector<std::string> positional_;
  std::vector<std::pair<std::string, std::string>> open_;
};

/// Reads the words after the subcommand. `--help` is always accepted: test has("help") first. A
/// value given under an old name is found under the present one.
/// Throws Error: unknown option (with the nearest), missing value, words if none are taken.
Arguments parse_command_line(const CommandSpec& spec, const std::vector<std::string>& words);

/// Sets `value` from --NAME, given or default, checked as Field::allowed is. Throws Error "--NAME:
/// found 'x', expected a whole number".
template <class Value>
void read_option(const Arguments& arguments, const std::string& name, Value& value,
                 std::string_view allowed) {
  try {
    Value found{};
    from_text(arguments.get(name), found);
    check_allowed(to_text(found), allowed);
    value = found;
  } catch (const Error& error) {
    throw Error("--" + name + ": " + error.what());
  }
}

/// The help page of a subcommand: usage, summary, options with defaults, one example.
std::string help_text(const CommandSpec& spec);

/// The option of a field: hyphens on the command line, underscores in YAML and in records.
std::string option_name(std::string_view field_name);

/// Old spellings of the option of a field: with underscores, and the field's old name.
std::vector<std::string> old_option_names(std::string_view field_name,
                                          std::string_view old_field_name);

/// One option for every field of `Struct`; default and meaning come from the table.
template <class Struct>
std::vector<Option> options_of_fields() {
  std::vector<Option> options;
  const Struct defaults;
  for_each_field<Struct>([&](const auto& field) {
    const auto& value = defaults.*field.member;
    std::string meaning(field.meaning);
    std::vector<std::string> choices;
    if (field.allowed.find('|') != std::string_view::npos) {
      meaning += " (" + std::string(field.allowed) + ")";
      choices = split(field.allowed, '|');
    }
    options.push_back({option_name(field.name), std::string(type_name(value)), meaning,
                       to_text(value), false, old_option_names(field.name, field.old_name),
                       std::move(choices)});
  });
  return options;
}

/// Sets every field of `object` that was given.
template <class Struct>
void set_fields_from(Struct& object, const Arguments& arguments) {
  for_each_field<Struct>([&](const auto& field) {
    const auto option = option_name(field.name);
    if (arguments.has(option)) {
      try {
        run::set_field_by_name(object, field.name, arguments.get(option));
      } catch (const Error& error) {
        throw Error("--" + option + std::string(error.what()).substr(field.name.size()));
      }
    }
  });
}

}  // namespace epochcast::cli
