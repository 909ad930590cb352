#include "analysis/records/varied.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {

std::vector<std::string> varied_parameters(const std::vector<LoadedRecord>& records) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& loaded : records) {
    for (const auto& row : loaded.record.parameters) {
      values[row.name.str()];
    }
  }
  for (auto& [name, of_records] : values) {
    for (const auto& loaded : records) {
      of_records.insert(record::parameter(loaded.record, name));
    }
  }
  std::vector<std::string> varied;
  for (const auto& [name, of_records] : values) {
    if (of_records.size() > 1 && name != "epochs" && name != "device") {
      varied.push_back(name);
    }
  }
  if (varied.size() > 1) {
    std::erase(varied, "command");
  }
  return varied;
}

table::Columns<LoadedRecord> attribute_columns(const std::vector<std::string>& names,
                                               const std::vector<LoadedRecord>& records) {
  table::Columns<LoadedRecord> columns;
  for (const auto& name : names) {
    const auto text_of = [name](const LoadedRecord& loaded) {
      return attribute(loaded.record, name).value_or("");
    };
    const bool numbers = std::ranges::all_of(records, [&](const LoadedRecord& loaded) {
      const auto text = text_of(loaded);
      return text.empty() || parse_double(text).has_value();
    });
    if (numbers) {
      columns.add({name, name, "", table::shortest_exact,
                   [text_of](const auto& loaded) { return parse_double(text_of(loaded)); }});
    } else {
      columns.add({name, name,
                   [text_of](const auto& loaded) { return table::text_cell(text_of(loaded)); }});
    }
  }
  return columns;
}

table::Columns<LoadedRecord> record_columns(const std::vector<std::string>& by) {
  table::Columns<LoadedRecord> columns{{"record", "record", &LoadedRecord::path}};
  return columns.add_each(by, [by](const auto& loaded) { return attributes(loaded.record, by); })
      .add({"allocation", "allocation",
            [](const auto& loaded) { return loaded.record.header.allocation; }});
}

}  // namespace epochcast::analysis
