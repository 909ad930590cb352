#include "analysis/records/serving_options.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "src/base/config/field_values.hpp"
#include "src/base/core/error.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

template <class Options>
Options options_of(const record::Record& record, std::string_view prefix) {
  Options options;
  for_each_field<Options>([&](const auto& field) {
    const auto name = fmt::format("{}{}", prefix, field.name);
    const auto text = record::parameter(record, name);
    if (text.empty()) {
      return;
    }
    try {
      run::set_field_value(options, field, text);
    } catch (const Error& error) {
      throw Error(fmt::format("parameter {}: {}", name, error.what()));
    }
  });
  return options;
}

}  // namespace

run::ServeOptions serve_options_of(const record::Record& record) {
  return options_of<run::ServeOptions>(record, "serve.");
}

run::LoadOptions load_options_of(const record::Record& record) {
  return options_of<run::LoadOptions>(record, "load.");
}

}  // namespace epochcast::analysis
