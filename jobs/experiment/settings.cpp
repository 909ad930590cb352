#include "jobs/experiment/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/core/error.hpp"

namespace epochcast::jobs {

const std::string* find_setting(const Settings& settings, std::string_view name) {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const Setting& setting) { return setting.first == name; });
  return found == settings.rend() ? nullptr : &found->second;
}

Setting parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(fmt::format("found '{}', expected KEY=VALUE", text));
  }
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

}  // namespace epochcast::jobs
