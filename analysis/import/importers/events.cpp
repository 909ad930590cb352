// The events that a program wrote to the file of EPOCHCAST_EVENTS: JSON lines with times.
#include "analysis/import/read_record.hpp"

namespace epochcast::analysis::importers {

ImporterSpec events() {
  return {.summary = "events that a program wrote to EPOCHCAST_EVENTS (JSON lines)",
          .read = [](const std::string& file, const ImportOptions& options) {
            return record_of(progress::sources::read_events(file),
                             {"events", file, options.allocation, options.gpu});
          }};
}

}  // namespace epochcast::analysis::importers
