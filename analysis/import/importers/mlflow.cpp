// MLflow's file store, or one run of it, mlruns/EXPERIMENT/RUN: metrics and parameters.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analysis/import/read_record.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis::importers {
namespace mlflow_importer {

constexpr int most_parameters = 1000;

Imported read(const std::string& folder, const ImportOptions& options) {
  auto imported = importer_of_metrics("mlflow", "").read(folder, options);
  const auto take = [&](const std::filesystem::directory_entry& file, int depth) {
    std::error_code error;
    if (!file.is_regular_file(error) || access(file.path().c_str(), R_OK) != 0) {
      return depth == 0 && !file.is_symlink(error);
    }
    const auto row =
        parameter_row(file.path().filename().string(), std::string(trim(read_file(file.path()))));
    for (auto& record : imported.records) {
      if (!row.name.view().empty() && record::parameter(record, row.name.view()).empty()) {
        record.parameters.push_back(row);
      }
    }
    return false;
  };
  walk(std::filesystem::path(folder) / "params",
       {.take = take, .pass = [](const auto&, const auto&) {}, .most_entries = most_parameters});
  return imported;
}

/// Not of a run that was deleted: it is in mlruns/.trash.
bool is_run(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  const auto& path = entry.path();
  return std::filesystem::is_directory(path / "metrics", error) &&
         !std::filesystem::is_symlink(path / "metrics", error) &&
         std::filesystem::is_regular_file(path / "meta.yaml", error) &&
         std::ranges::find(path, ".trash") == path.end();
}

}  // namespace mlflow_importer

ImporterSpec mlflow() {
  return of_many_runs({.summary = "runs of MLflow's file store: mlruns, or a run's folder in it",
                       .read = mlflow_importer::read},
                      mlflow_importer::is_run);
}

}  // namespace epochcast::analysis::importers
