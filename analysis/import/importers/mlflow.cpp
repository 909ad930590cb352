// A run of MLflow's file store, mlruns/EXPERIMENT/RUN, with its parameters.
#include <filesystem>

#include "analysis/import/read_record.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis::importers {
namespace mlflow_importer {

constexpr std::size_t most_parameters = 1000;

Imported read(const std::string& folder, const ImportOptions& options) {
  auto imported = importer_of_metrics("mlflow", "").read(folder, options);
  std::error_code error;
  std::size_t count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(folder) / "params", error)) {
    if (!file.is_regular_file(error) || ++count > most_parameters) {
      continue;
    }
    const auto row =
        parameter_row(file.path().filename().string(), std::string(trim(read_file(file.path()))));
    for (auto& record : imported.records) {
      if (!row.name.view().empty() && record::parameter(record, row.name.view()).empty()) {
        record.parameters.push_back(row);
      }
    }
  }
  return imported;
}

}  // namespace mlflow_importer

ImporterSpec mlflow() {
  return {.summary = "a run of MLflow's file store: its folder in mlruns",
          .read = mlflow_importer::read};
}

}  // namespace epochcast::analysis::importers
