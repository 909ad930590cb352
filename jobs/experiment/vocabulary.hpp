// The names and values an experiment may use: those of RunConfig, or the placeholders of its
// command.
#pragma once

#include <string>
#include <vector>

#include "jobs/experiment/settings.hpp"
#include "src/run/yaml.hpp"

namespace epochcast::jobs {

/// The text of a node that must be one line of it. Throws Error at the node.
std::string one_line(const run::yaml::Node& node);

class SettingSchema {
 public:
  /// The vocabulary of our own trainer.
  SettingSchema() = default;
  /// That of a command with these placeholders.
  explicit SettingSchema(std::vector<std::string> placeholders)
      : placeholders_(std::move(placeholders)), is_command_(true) {}

  /// Throws Error at `at`, with the nearest of the names and of `also`, for a name that cannot be
  /// set.
  void check_name(const std::string& name, const run::yaml::Node& at,
                  std::vector<std::string> also = {}) const;

  /// Adds the setting `name`: a single value, or `model: {name: mlp, depth: 10}`. Throws Error at
  /// the node.
  void read_setting(const std::string& name, const run::yaml::Node& value, Settings& into) const;

  /// The values of a swept parameter, its ranges written out. Throws Error at the node.
  std::vector<std::string> read_values(const std::string& name, const run::yaml::Node& value) const;

  const std::vector<std::string>& placeholders() const { return placeholders_; }

 private:
  void check_value(const std::string& name, const std::string& text,
                   const run::yaml::Node& at) const;

  std::vector<std::string> placeholders_;
  bool is_command_ = false;
};

}  // namespace epochcast::jobs
