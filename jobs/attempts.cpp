#include "jobs/attempts.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "src/core/error.hpp"
#include "src/record/json_lines.hpp"

namespace epochcast::jobs {

namespace fs = std::filesystem;

namespace {

/// Stamps have whole seconds; within one, job ids grow (shorter numbers first).
auto order_of(const RecordHeader& header) {
  const auto job = header.job_id.view();
  return std::tuple(header.created_at.view(), job.size(), job, header.restart);
}

}  // namespace

std::map<std::string, std::vector<Attempt>> read_attempts(const OutFolder& out) {
  std::map<std::string, std::vector<Attempt>> attempts;
  for (const auto& entry : fs::directory_iterator(out.records())) {
    if (entry.path().extension() != ".jsonl") {
      continue;
    }
    if (const auto lines = read_json_lines(entry.path()); lines.has_header) {
      const auto& header = lines.record.header;
      attempts[header.point.str()].push_back(
          {fs::path(entry.path()).replace_extension(".h5"), header});
    }
  }
  for (auto& [point, list] : attempts) {
    std::sort(list.begin(), list.end(), [](const Attempt& a, const Attempt& b) {
      return order_of(a.header) < order_of(b.header);
    });
  }
  return attempts;
}

}  // namespace epochcast::jobs
