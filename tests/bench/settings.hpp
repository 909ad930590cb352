// The settings of a run as the benchmarks take them on their command lines.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast {

/// A run of `settings`, each as "model.depth=6". Throws Error where one is not, or as set_field().
inline run::RunConfig run_config_of(const std::vector<std::string>& settings) {
  run::RunConfig config;
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("found '{}', expected NAME=VALUE", setting));
    }
    run::set_field(config, setting.substr(0, equals), setting.substr(equals + 1));
  }
  return config;
}

}  // namespace epochcast
