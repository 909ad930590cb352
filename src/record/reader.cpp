#include "src/record/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/core/error.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/record_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// What `salvage` could do about a damaged file.
std::string mend_of(const std::string& path) {
  return fs::exists(json_lines_path(path))
             ? fmt::format("; `epochcast-analyze salvage {}` rebuilds it from {}", path, json_lines_path(path))
             : "; there are no JSON lines beside it to rebuild it from";
}

void check_schema(const h5::File& file, const std::string& path) {
  std::int64_t version = 0;
  if (!file.read_attribute({"schema_version", h5::Kind::integer, sizeof(version)}, &version)) {
    throw Error(path + ": is HDF5, but not a record of epochcast (it has no schema_version)");
  }
  if (version > record_schema_version) {
    throw Error(fmt::format("{}: written with schema version {}, this program reads up to {}; a newer epochcast "
                            "can read it",
                            path, version, record_schema_version));
  }
}

void check_exists(const std::string& path) {
  if (fs::is_directory(path)) {
    throw Error(path + ": found a folder, expected a record (.h5)");
  }
  if (!fs::exists(path)) {
    throw Error(path + ": no such file" + (fs::exists(json_lines_path(path)) ? mend_of(path) : ""));
  }
}

}  // namespace

Record read_record(const std::string& path) {
  check_exists(path);
  try {
    const auto file = h5::File::open(path, h5::File::Mode::read);
    check_schema(file, path);
    Record record;
    record.header = read_header(file);
    record.modules = file.read_text(modules_name).value_or("");
    for_each_table([&](const auto& table) { record.*table.rows = read_rows(file, table); });
    return record;
  } catch (const h5::Failure& failure) {
    throw Error(fmt::format("{}: damaged, or not HDF5: {}{}", path, failure.what(), mend_of(path)));
  }
}

std::vector<std::string> find_records(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const auto& path : paths) {
    if (!fs::exists(path)) {
      throw Error(path + ": no such file or folder");
    }
    if (!fs::is_directory(path)) {
      found.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".h5") {
        found.push_back(entry.path());
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace epochcast
