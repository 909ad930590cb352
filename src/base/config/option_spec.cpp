#include "src/base/config/option_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {
namespace {

template <class Value>
void check_as(const std::string& text) {
  Value value{};
  from_text(text, value);
}

void check_type(const std::string& text, const std::string& type) {
  if (type == "flag") {
    check_as<bool>(text);
  } else if (type == "integer") {
    check_as<std::int64_t>(text);
  } else if (type == "number") {
    check_as<double>(text);
  } else if (type == "duration") {
    check_as<Seconds>(text);
  } else if (type == "size") {
    check_as<Bytes>(text);
  } else if (type != "text") {
    throw std::logic_error(fmt::format(
        "type '{}' in the table of options: expected text, integer, number, flag, duration or size",
        type));
  }
}

/// Throws std::logic_error for a mistake in the table itself.
void check_spec(const OptionSpec& spec, std::string_view owner) {
  if (spec.default_value.empty()) {
    return;
  }
  try {
    check_type(spec.default_value, spec.type);
    check_allowed(spec.default_value, spec.allowed);
  } catch (const std::exception& error) {
    throw std::logic_error(fmt::format("option '{}' of '{}': {}", spec.name, owner, error.what()));
  }
}

}  // namespace

OptionValues complete_options(const OptionValues& given, const std::vector<OptionSpec>& specs,
                              std::string_view kind, std::string_view owner) {
  OptionValues values;
  std::vector<std::string> known;
  for (const auto& spec : specs) {
    check_spec(spec, owner);
    values[spec.name] = spec.default_value;
    known.push_back(spec.name);
  }
  for (const auto& [name, text] : given) {
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const OptionSpec& s) { return s.name == name; });
    if (spec == specs.end()) {
      throw Error(fmt::format("{}.{}: unknown option of {} '{}'{}", kind, name, kind, owner,
                              did_you_mean(name, known)));
    }
    if (text == spec->default_value) {
      continue;  // an empty default means "not given" for every type
    }
    try {
      check_type(text, spec->type);
      check_allowed(text, spec->allowed);
    } catch (const Error& error) {
      throw Error(fmt::format("{}.{}: {}", kind, name, error.what()));
    }
    values[name] = text;
  }
  return values;
}

}  // namespace epochcast::run
