// Reads one option of a model or a data set as its type.
#pragma once

#include <string>

#include "src/base/config/option_spec.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::libtorch {

/// The value of the option `name`, already checked by complete_options.
template <class Value>
Value option(const run::OptionValues& options, const std::string& name) {
  Value value{};
  from_text(options.at(name), value);
  return value;
}

}  // namespace epochcast::libtorch
