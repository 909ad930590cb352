#include "jobs/campaign/attempts.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>

#include "jobs/campaign/record_tails.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::jobs {

namespace fs = std::filesystem;

namespace {

/// Time stamps are in whole seconds; within a second the number in the job id decides (99 < 100).
bool is_before(const record::RecordHeader& a, const record::RecordHeader& b) {
  const int jobs = strverscmp(a.job_id.str().c_str(), b.job_id.str().c_str());
  return std::tuple(a.created_at.view(), jobs, a.restart) <
         std::tuple(b.created_at.view(), 0, b.restart);
}

/// std::nullopt if the lines have no whole header.
std::optional<Attempt> attempt_of(const fs::path& lines_path, RecordTails* tails) {
  const auto attempt = [&](const record::JsonLines& lines) -> std::optional<Attempt> {
    if (!lines.has_header) {
      return std::nullopt;
    }
    return Attempt{fs::path(lines_path).replace_extension(".h5"), lines.record.header,
                   telemetry::disturbance_text(lines.record)};
  };
  return tails == nullptr ? attempt(record::read_json_lines(lines_path))
                          : attempt(tails->read(lines_path));
}

}  // namespace

bool is_done(const record::RecordHeader& header) {
  return record::outcome_of(header) == run::Outcome::complete || record::is_pilot_done(header);
}

std::map<std::string, std::vector<Attempt>> read_attempts(const OutFolder& out,
                                                          RecordTails* tails) {
  std::map<std::string, std::vector<Attempt>> attempts;
  for (const auto& entry : entries_of(out.records())) {
    if (entry.path().extension() != ".jsonl") {
      continue;
    }
    if (auto attempt = attempt_of(entry.path(), tails)) {
      const auto point = attempt->header.point.str();
      attempts[point].push_back(std::move(*attempt));
    }
  }
  for (auto& [point, list] : attempts) {
    std::sort(list.begin(), list.end(),
              [](const Attempt& a, const Attempt& b) { return is_before(a.header, b.header); });
  }
  return attempts;
}

Attempt read_again(const Attempt& attempt, RecordTails* tails) {
  return attempt_of(record::json_lines_path(attempt.record), tails).value_or(attempt);
}

}  // namespace epochcast::jobs
