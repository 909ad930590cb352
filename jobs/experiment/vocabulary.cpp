#include "jobs/experiment/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

using run::yaml::Node;

/// "2..5" as 2, 3, 4, 5; any other text as itself.
std::vector<std::string> expand_range(const Node& item) {
  const auto& text = item.text();
  const auto dots = text.find("..");
  const auto first = parse_integer(text.substr(0, dots));
  const auto last = dots == std::string::npos ? std::nullopt : parse_integer(text.substr(dots + 2));
  if (!first || !last) {
    return {text};
  }
  constexpr std::int64_t longest = 10'000'000;
  if (*last < *first || *last - *first >= longest) {
    throw item.error(
        fmt::format("found the range '{}', expected the smaller number first and at most {} values",
                    text, longest));
  }
  std::vector<std::string> values;
  for (auto value = *first; value <= *last; ++value) {
    values.push_back(std::to_string(value));
  }
  return values;
}

/// The owner of the options in the group `name`: "model", "serve"; nullptr if it has none.
const run::OptionOwner* owner_of_group(const std::string& name) {
  const auto owner = std::ranges::find(run::option_owners, name + ".", &run::OptionOwner::prefix);
  return owner == run::option_owners.end() ? nullptr : &*owner;
}

/// The groups whose options are those of a task.
std::vector<run::OptionOwner> task_groups() {
  std::vector<run::OptionOwner> groups;
  std::ranges::copy_if(run::option_owners, std::back_inserter(groups),
                       [](const auto& owner) { return owner.task.has_value(); });
  return groups;
}

/// The values of placeholders are what the program makes of them.
void check_work(const std::string& name, const std::string& text) {
  const auto row = std::ranges::find(work_keys(), name, &cli::KeyRow::name);
  if (row == work_keys().end() || row->allowed.empty()) {
    return;
  }
  try {
    if (double value = 0; row->type == "number") {
      from_text(text, value);
    }
    check_allowed(text, row->allowed);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

const std::vector<cli::KeyRow>& work_keys() {
  static const std::vector<cli::KeyRow> all{
      {"epochs", "integer", "", "epochs", "Length of the run"},
      {"steps", "integer", "", "steps", "Length of the run"},
      {"parameters", "number", "", "1", "Of the network: 6 FLOP each for a token", ">0"},
      {"flops_per_token", "number", "", "1", "Model FLOP of a token, in place of those", ">0"},
      {"sequence_length", "number", "", "tokens", "Of a sample", ">0"},
      {"precision", "text", "", "1", "For the peak of MFU", "fp32|tf32|fp16|bf16|fp64"},
      {"eval_every", "number", "", "1", "Steps between evaluations, or epochs", ">0"},
      {"eval_from", "number", "", "1", "Those before the first", ">0"},
      {"checkpoint_every", "number", "", "1", "The same of checkpoints", ">0"}};
  return all;
}

std::string one_line(const Node& node) {
  const auto& text = node.text();
  if (text.empty() || text.find_first_of("\n\r") != std::string::npos) {
    throw node.error(fmt::format("found '{}', expected one line of text", text));
  }
  return text;
}

void SettingSchema::check_name(const std::string& name, const Node& at,
                               std::vector<std::string> also) const {
  if (name == "repeat") {
    throw at.error("'repeat' is the number of a repeat and cannot be set; write 'repeats: N'");
  }
  auto known = is_command_ ? placeholders_ : run::run_config_names();
  for (const auto& row : is_command_ ? work_keys() : std::vector<cli::KeyRow>{}) {
    known.push_back(row.name);
  }
  const bool option =
      !is_command_ && (run::owner_of_option(name) != nullptr || owner_of_group(name) != nullptr);
  if (!option && std::find(known.begin(), known.end(), name) == known.end()) {
    if (!is_command_ &&
        std::ranges::find(work_keys(), name, &cli::KeyRow::name) != work_keys().end()) {
      throw at.error(fmt::format(
          "{}: there is no 'command:'; this key describes a program of your own", name));
    }
    also.insert(also.end(), known.begin(), known.end());
    for (const auto& owner : is_command_ ? std::vector<run::OptionOwner>{} : task_groups()) {
      also.emplace_back(owner.prefix.substr(0, owner.prefix.size() - 1));
    }
    throw at.error(fmt::format("unknown key '{}'{}", name, did_you_mean(name, also)));
  }
}

void SettingSchema::check_value(const std::string& name, const std::string& text,
                                const Node& at) const {
  try {
    if (is_command_) {
      if (std::ranges::find(placeholders_, name) == placeholders_.end()) {
        check_work(name, text);
      }
      return;
    }
    run::RunConfig scratch;
    run::set_field(scratch, name, text);
  } catch (const Error& error) {
    throw at.error(error.what());
  }
}

void SettingSchema::read_setting(const std::string& name, const Node& value, Settings& into) const {
  const auto* owner = is_command_ ? nullptr : owner_of_group(name);
  const bool has_name = owner != nullptr && !owner->task;
  if (owner != nullptr && !has_name && value.kind != Node::Kind::map) {
    throw value.error(
        fmt::format("found {}, expected a group of options, such as '{}: {{{}: ...}}'",
                    value.kind == Node::Kind::scalar ? "'" + value.text() + "'" : "a list", name,
                    run::names_of_task_options(*owner).front()));
  }
  if (value.kind == Node::Kind::map && owner != nullptr) {
    if (has_name && value.find("name") == nullptr) {
      throw value.error(fmt::format("found no name, expected '{}: {{name: ..., ...}}'", name));
    }
    for (const auto& [option, text] : value.map) {
      read_setting(has_name && option == "name" ? name : name + "." + option, text, into);
    }
    return;
  }
  if (value.kind == Node::Kind::list) {
    throw value.error(fmt::format(
        "found a list for '{}', expected a single value; lists belong under 'sweep:'", name));
  }
  check_value(name, is_command_ ? value.text() : one_line(value), value);
  into.emplace_back(name, value.text());
}

std::vector<std::string> SettingSchema::read_values(const std::string& name,
                                                    const Node& value) const {
  std::vector<std::string> values;
  for (const auto& item : value.items()) {
    if (!is_command_) {
      one_line(item);
    }
    for (auto& text : expand_range(item)) {
      check_value(name, text, item);
      values.push_back(std::move(text));
    }
  }
  if (values.empty()) {
    throw value.error(fmt::format("found no values for '{}', expected at least one", name));
  }
  return values;
}

}  // namespace epochcast::jobs
