#include <algorithm>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/disturbed.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {
namespace {

bool separates_repeats(const TableOptions& options) {
  const auto repeats = record::names_of({run::ParameterRole::repeat});
  return std::ranges::any_of(options.by,
                             [&](const std::string& name) { return repeats.contains(name); });
}

}  // namespace

std::vector<table::Table> tables_of(const TableSpec& spec, const std::vector<LoadedRecord>& records,
                                    const TableOptions& options) {
  if (spec.keeps_disturbed || separates_repeats(options)) {
    return spec.make(records, options);
  }
  const auto found = undisturbed(records);
  auto tables = found.left_out.empty()
                    ? spec.make(records, options)
                    : spec.make(records_without(records, found.left_out), options);
  tell_disturbed(tables, found);
  return tables;
}

}  // namespace epochcast::analysis
