// Command lines: the options of a subcommand, declared as data. The implementation is the only file
// that includes Boost.ProgramOptions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/config/field_values.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::cli {

struct Option {
  std::string name;   ///< "cluster", or "output,o" with a one-letter form.
  std::string value;  ///< "NAME" in the help; empty: a switch without a value; "flag": the value
                      ///< may be omitted and is then true.
  std::string meaning;
  std::string default_value = {};
  bool repeated = false;                  ///< May be given several times.
  std::vector<std::string> choices = {};  ///< Words that completion proposes as the value.

  /// "output" of "output,o".
  std::string long_name() const { return name.substr(0, name.find(',')); }
};

/// A subcommand: its help texts and its options.
struct CommandSpec {
  std::string usage;  ///< "epochcast-jobs generate EXPERIMENT --cluster C -o OUT"
  std::string summary;
  std::string example;
  std::vector<Option> options;
  std::string positional = {};  ///< "RECORDS..."; empty: no positional arguments.
  /// Options that are accepted without a declaration: "model.", "dataset.".
  std::vector<std::string> open_prefixes = {};
  /// Options of earlier versions, and what to do instead.
  std::map<std::string, std::string> gone = {};
};

class Arguments {
 public:
  bool has(const std::string& name) const { return values_.contains(name); }
  /// The last value given; if there is none, the option's default; if there is none, "".
  std::string get(const std::string& name) const;
  std::vector<std::string> all(const std::string& name) const;
  const std::vector<std::string>& positional() const { return positional_; }
  /// Options that matched an open prefix, in order: ("model.depth", "3"). Hyphens of the name are
  /// underscores.
  const std::vector<std::pair<std::string, std::string>>& open() const { return open_; }

 private:
  friend Arguments parse_command_line(const CommandSpec&, const std::vector<std::string>&);
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, std::string> defaults_;
  std::vector<std::string> positional_;
  std::vector<std::pair<std::string, std::string>> open_;
};

/// Parses the arguments after the subcommand. `--help` is always accepted: test has("help") first.
/// So are underscores for the hyphens of an option's name.
/// Throws Error: unknown option (with the nearest name), missing value, unexpected positional
/// argument.
[[nodiscard]] Arguments parse_command_line(const CommandSpec& spec,
                                           const std::vector<std::string>& words);

/// Sets `value` from --NAME (given or default), checked as Field::allowed. Throws Error "--NAME:
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

/// The value of --NAME. Throws Error unless it is a whole number above 0.
std::int64_t count_of(const Arguments& arguments, const std::string& name);

/// The help page of a subcommand: usage, summary, options with defaults, one example.
std::string help_text(const CommandSpec& spec);

/// The spelling of a field on the command line: hyphens for underscores.
std::string option_name(std::string_view field_name);

/// One option for every field of `Struct`; default and meaning come from the table.
template <class Struct>
std::vector<Option> options_of_fields() {
  std::vector<Option> options;
  const Struct defaults;
  for_each_field<Struct>([&](const auto& field) {
    const auto& value = defaults.*field.member;
    Option option{.name = option_name(field.name),
                  .value = std::string(type_name(value)),
                  .meaning = std::string(field.meaning),
                  .default_value = std::string(to_text(value))};
    if (field.allowed.find('|') != std::string_view::npos) {
      option.meaning += " (" + std::string(field.allowed) + ")";
      option.choices = split(field.allowed, '|');
      std::erase(option.choices, "");
    }
    options.push_back(std::move(option));
  });
  return options;
}

/// Sets every field of `object` that was given on the command line.
template <class Struct>
void set_fields_from(Struct& object, const Arguments& arguments) {
  for_each_field<Struct>([&](const auto& field) {
    const auto name = option_name(field.name);
    if (!arguments.has(name)) {
      return;
    }
    try {
      run::set_field_value(object, field, arguments.get(name));
    } catch (const Error& error) {
      throw Error("--" + name + ": " + error.what());
    }
  });
}

}  // namespace epochcast::cli
