// The schema of an experiment's settings: the parameters of RunConfig, or the placeholders of its
// command.
#pragma once

#include <string>
#include <vector>

#include "jobs/experiment/settings.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"

namespace epochcast::jobs {

/// The text of a node that must have one line. Throws Error at the node.
std::string one_line(const run::yaml::Node& node);

/// What an experiment may state of its command's work without a placeholder: its length first. They
/// become parameters of the runs.
const std::vector<cli::KeyRow>& work_keys();

class SettingSchema {
 public:
  /// The schema of epochcast-train.
  SettingSchema() = default;
  /// The schema of a command with these placeholders; it has the work_keys() too.
  explicit SettingSchema(std::vector<std::string> placeholders)
      : placeholders_(std::move(placeholders)), is_command_(true) {}

  /// Throws Error at `at` for an unknown name, with the nearest of the names and of `also`.
  void check_name(const std::string& name, const run::yaml::Node& at,
                  std::vector<std::string> also = {}) const;

  /// Adds the setting `name`: a single value, `model: {name: mlp, depth: 10}` or `serve: {batch:
  /// 8}`. Throws Error at the node.
  void read_setting(const std::string& name, const run::yaml::Node& value, Settings& into) const;

  /// The values of a swept parameter, with ranges expanded. Throws Error at the node.
  std::vector<std::string> read_values(const std::string& name, const run::yaml::Node& value) const;

 private:
  void check_value(const std::string& name, const std::string& text,
                   const run::yaml::Node& at) const;

  std::vector<std::string> placeholders_;
  bool is_command_ = false;
};

}  // namespace epochcast::jobs
