// Some of the options of a struct, for a program that has not all of them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "src/base/cli/command_line.hpp"

namespace epochcast::cli {

/// options_of_fields(), of which `names` are kept.
template <class Struct>
std::vector<Option> selected_options(std::initializer_list<std::string_view> names) {
  auto options = options_of_fields<Struct>();
  std::erase_if(options, [&](const Option& option) {
    return std::ranges::find(names, option.name) == names.end();
  });
  return options;
}

}  // namespace epochcast::cli
