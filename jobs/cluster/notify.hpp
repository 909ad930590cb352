// Who is told when an experiment has ended. A profile declares it; an experiment replaces single
// ways.
#pragma once

#include <string>
#include <vector>

#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::jobs {

/// One or more ways at the same time.
struct Notify {
  std::string mail;
  std::string command;
  std::string webhook;
  bool operator==(const Notify&) const = default;
};

constexpr auto fields_of(Tag<Notify>) {
  return FieldTable{
      Field{"mail", "1", "Addresses, with commas, for mail or sendmail", &Notify::mail},
      Field{"command", "1",
            "Shell command that reads the text; $EPOCHCAST_JSON: a file of the same as fields",
            &Notify::command},
      Field{"webhook", "1", "URL that curl posts those fields to, with text as for Slack",
            &Notify::webhook},
  };
}

inline constexpr const char* notify_key = "notify";

/// Reads `notify: {mail: you@site.edu, webhook: "https://..."}` into `notify`; ways that are not
/// given stay. `notify: none` removes all. Throws Error with file and line.
void read_notify(const run::yaml::Node& node, Notify& notify);

/// The keys, as "notify.mail".
std::vector<cli::KeyRow> notify_keys();

}  // namespace epochcast::jobs
