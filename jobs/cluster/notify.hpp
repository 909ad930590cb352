// Who is told when an experiment has ended. A profile declares it; an experiment replaces it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::jobs {

struct Notify {
  std::string command;
  bool operator==(const Notify&) const = default;
};

constexpr auto fields_of(Tag<Notify>) {
  return FieldTable{Field{"command", "1",
                          "Shell command that reads the text; $EPOCHCAST_SUBJECT: its subject; "
                          "$EPOCHCAST_JSON: a file of the same as fields",
                          &Notify::command}};
}

inline constexpr const char* notify_key = "notify";

/// Reads `notify: {command: "..."}` into `notify`. `notify: none` removes it. Throws Error with
/// file and line.
void read_notify(const run::yaml::Node& node, Notify& notify);

/// The keys, as "notify.command".
std::vector<cli::KeyRow> notify_keys();

/// What does the same as a key of `notify:` of earlier versions, which sent mail and posted
/// themselves; "" for another key.
std::string command_of_earlier_way(std::string_view key, std::string_view value);

/// A document that an earlier version has written, as it would be today.
run::yaml::Node with_commands_for_earlier_ways(run::yaml::Node document);

}  // namespace epochcast::jobs
