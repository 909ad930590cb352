// An offline run of Weights & Biases.
#include "analysis/import/read_record.hpp"

namespace epochcast::analysis::importers {

ImporterSpec wandb() {
  return importer_of_metrics("wandb", "an offline run of wandb: run-ID.wandb, or its folder");
}

}  // namespace epochcast::analysis::importers
