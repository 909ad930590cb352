#include "jobs/campaign/attempts.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "src/core/error.hpp"
#include "src/core/files.hpp"
#include "src/record/json_lines.hpp"
#include "src/telemetry/disturbance.hpp"

namespace epochcast::jobs {

namespace fs = std::filesystem;

namespace {

/// Time stamps are in whole seconds; within a second the number in the job id decides (99 < 100).
bool is_before(const record::RecordHeader& a, const record::RecordHeader& b) {
  const int jobs = strverscmp(a.job_id.str().c_str(), b.job_id.str().c_str());
  return std::tuple(a.created_at.view(), jobs, a.restart) <
         std::tuple(b.created_at.view(), 0, b.restart);
}

}  // namespace

std::map<std::string, std::vector<Attempt>> read_attempts(const OutFolder& out) {
  std::map<std::string, std::vector<Attempt>> attempts;
  for (const auto& entry : entries_of(out.records())) {
    if (entry.path().extension() != ".jsonl") {
      continue;
    }
    if (const auto lines = record::read_json_lines(entry.path()); lines.has_header) {
      const auto& header = lines.record.header;
      attempts[header.point.str()].push_back({fs::path(entry.path()).replace_extension(".h5"),
                                              header, telemetry::disturbance_text(lines.record)});
    }
  }
  for (auto& [point, list] : attempts) {
    std::sort(list.begin(), list.end(),
              [](const Attempt& a, const Attempt& b) { return is_before(a.header, b.header); });
  }
  return attempts;
}

}  // namespace epochcast::jobs
