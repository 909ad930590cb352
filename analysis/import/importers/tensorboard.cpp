// The event files of TensorBoard, one of them or the folder of a run.
#include "analysis/import/read_record.hpp"
#include "src/measure/progress/sources/metric_source.hpp"

namespace epochcast::analysis::importers {

ImporterSpec tensorboard() {
  return {.summary = "TensorBoard's event files: a file, or the folder of one run",
          .read = [](const std::string& file, const ImportOptions& options) {
            return record_of(progress::sources::read_metrics(file),
                             {"tensorboard", file, options.allocation, options.gpu});
          }};
}

}  // namespace epochcast::analysis::importers
