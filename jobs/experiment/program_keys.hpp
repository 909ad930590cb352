// The keys of an experiment that describe a program of the user's.
#pragma once

#include <string>
#include <vector>

#include "jobs/experiment/program.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"

namespace epochcast::jobs {

/// One key: its description, and what reads its value. `read` throws Error at the node.
struct ProgramKey {
  cli::KeyRow description;
  void (*read)(const run::yaml::Node& value, Program& program);
};

/// In the order of the reference; the first is `command`.
const std::vector<ProgramKey>& program_keys();

/// nullptr if there is no such key.
const ProgramKey* find_program_key(const std::string& name);

/// A placeholder and the value that it stands in.
struct PlaceholderUse {
  std::string name;
  std::string key;        ///< "command", "folder", ...
  run::yaml::Node where;  ///< The single value, for messages.
};

/// The placeholders of the value of a program's key. Throws Error at the node for bad braces.
std::vector<PlaceholderUse> placeholder_uses(const std::string& key, const run::yaml::Node& value);

}  // namespace epochcast::jobs
