// The event files of TensorBoard, one of them or the folder of a run.
#include "analysis/import/read_record.hpp"

namespace epochcast::analysis::importers {

ImporterSpec tensorboard() {
  return importer_of_metrics("tensorboard",
                             "TensorBoard's event files: a file, or the folder of one run");
}

}  // namespace epochcast::analysis::importers
