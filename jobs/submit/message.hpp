// What is said when an experiment has ended: its summary, as text and as fields.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"

namespace epochcast::jobs {

/// A point of a campaign that has ended.
struct EndedPoint {
  PointStatus status;
  std::string why_not_again;  ///< Why `retry:` submits it no more; empty: no rule is about it.
};

struct Message {
  std::string subject;
  std::string text;
  std::string json;
};

/// Of points whose records, and rows of the ledger, are closed.
Message message_of_end(const OutFolder& out, const std::vector<EndedPoint>& points);

}  // namespace epochcast::jobs
