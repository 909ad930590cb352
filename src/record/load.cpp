#include "src/record/load.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::record {

LoadedRecords load_records(const std::vector<std::string>& paths, Rows rows) {
  LoadedRecords loaded;
  RecordReader reader;
  for (const auto& path : find_records(paths)) {
    try {
      loaded.records.push_back({path, reader.read_consistent(path, rows)});
    } catch (const Error& error) {
      loaded.damaged.emplace_back(error.what());
    }
  }
  if (loaded.records.empty() && loaded.damaged.empty()) {
    throw Error(fmt::format("{}: no record (*.h5) there", join(paths, ", ")));
  }
  return loaded;
}

}  // namespace epochcast::record
