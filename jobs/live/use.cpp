#include "jobs/live/use.hpp"

namespace epochcast::jobs {

Use use_of(const record::Record& /*record*/) {
  return {};
}

}  // namespace epochcast::jobs
