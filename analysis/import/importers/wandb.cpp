// Offline runs of Weights & Biases.
#include "analysis/import/read_record.hpp"

namespace epochcast::analysis::importers {

ImporterSpec wandb() {
  return of_many_runs(
      importer_of_metrics("wandb", "offline runs of wandb: run-ID.wandb, or a folder with some"),
      [](const std::filesystem::directory_entry& entry) {
        std::error_code error;
        return std::filesystem::is_regular_file(entry.path(), error) &&
               entry.path().extension() == ".wandb";
      });
}

}  // namespace epochcast::analysis::importers
