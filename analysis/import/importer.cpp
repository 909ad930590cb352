#include "analysis/import/importer.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/writer.hpp"

namespace epochcast::analysis {

record::ParameterRow parameter_row(const std::string& name, const std::string& value) {
  record::ParameterRow row{.name = name, .value = value, .type = "text", .unit = "1"};
  for_each_field<run::RunConfig>([&](const auto& field) {
    if (field.name == name) {
      row.type = type_name(value_of<decltype(field)>{});
      row.unit = field.unit;
    }
  });
  record::use_current_value(row);
  return row;
}

namespace {

/// Whether the file is a record that was imported from this kind of source.
bool is_import_of(const std::string& path, const record::FixedText<64>& source) {
  try {
    const bool imported = source.view() == "published" || source.view().starts_with("imported:");
    return imported && record::read_record(path).header.source == source;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void state_epochs(std::vector<record::Record>& records, std::int64_t epochs) {
  for (auto& record : records) {
    if (record::epochs_of(record) > 0) {
      continue;
    }
    const auto found = std::ssize(record.epochs);
    if (found > epochs) {
      throw Error(fmt::format("{}: found {} epochs, expected at most {} (--epochs)",
                              record.header.point.view(), found, epochs));
    }
    record.parameters.push_back(parameter_row("epochs", std::to_string(epochs)));
  }
}

std::vector<std::string> write_records(const std::vector<record::Record>& records,
                                       const std::string& folder) {
  make_folder(folder);
  std::vector<std::string> paths;
  for (const auto& record : records) {
    const auto name =
        fmt::format("{}-{}.h5", record.header.point.view(), record.header.job_id.view());
    const auto& path = paths.emplace_back((std::filesystem::path(folder) / name).string());
    if (std::filesystem::exists(path) && is_import_of(path, record.header.source)) {
      std::filesystem::remove(path);
      std::filesystem::remove(record::json_lines_path(path));
    }
    record::write_record(path, record);
  }
  return paths;
}

}  // namespace epochcast::analysis
