#include "jobs/remaining.hpp"

#include <algorithm>
#include <ctime>

#include "src/core/text.hpp"
#include "src/record/json_lines.hpp"

namespace epochcast::jobs {
namespace {

std::optional<double> seconds_since_1970(const std::string& iso) {
  std::tm when{};
  if (strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%S%z", &when) == nullptr) {
    return std::nullopt;
  }
  const auto offset = when.tm_gmtoff;
  return static_cast<double>(timegm(&when) - offset);
}

}  // namespace

Remaining remaining_time(const std::string& record) {
  const auto lines = read_json_lines(json_lines_path(record));
  const auto& header = lines.record.header;
  const auto start = seconds_since_1970(header.created_at.str());
  const auto end = seconds_since_1970(header.finished_at.str()).value_or(static_cast<double>(std::time(nullptr)));
  return {start ? std::max(0.0, end - *start) : 0, std::nullopt};
}

}  // namespace epochcast::jobs
