#include "src/run/option_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/core/error.hpp"
#include "src/core/quantity.hpp"
#include "src/core/text.hpp"

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
  }
}

}  // namespace

OptionValues complete_options(const OptionValues& given, const std::vector<OptionSpec>& specs,
                              std::string_view kind, std::string_view owner) {
  OptionValues values;
  std::vector<std::string> known;
  for (const auto& spec : specs) {
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
