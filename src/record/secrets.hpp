// Hides secrets in what a record says of a run (src/base/core/secrets.hpp).
#pragma once

#include "src/record/record.hpp"

namespace epochcast::record {

void hide_secrets(RecordHeader& header);
void hide_secrets(ParameterRow& parameter);
/// In the header, the parameters and the environment.
void hide_secrets(Record& record);

}  // namespace epochcast::record
