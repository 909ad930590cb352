#include "src/record/queries.hpp"

#include <algorithm>

#include "src/core/text.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::record {

void use_current_value(ParameterRow& row) {
  row.value = run::current_text(row.name.view(), row.value.view());
}

std::string parameter(const Record& record, std::string_view name) {
  const auto found = std::find_if(record.parameters.begin(), record.parameters.end(),
                                  [&](const ParameterRow& row) { return row.name.view() == name; });
  return found == record.parameters.end() ? "" : found->value.str();
}

std::int64_t epochs_of(const Record& record) {
  return parse_integer(parameter(record, "epochs")).value_or(0);
}

std::vector<const Iteration*> first_rank(const Record& record) {
  std::vector<const Iteration*> iterations;
  for (const auto& iteration : record.iterations) {
    if (iteration.rank == 0) {
      iterations.push_back(&iteration);
    }
  }
  return iterations;
}

}  // namespace epochcast::record
