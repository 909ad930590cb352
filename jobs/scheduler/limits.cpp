#include "jobs/scheduler/limits.hpp"

#include <nlohmann/json.hpp>

#include "src/base/core/files.hpp"

namespace epochcast::jobs {
namespace {

using nlohmann::json;

SiteLimits kept(const std::filesystem::path& file) {
  SiteLimits limits;
  if (is_there(file)) {
    const auto stored = json::parse(read_file(file), nullptr, false);
    if (stored.is_object()) {
      limits.max_array_size = stored.value("max_array_size", limits.max_array_size);
      limits.max_job_count = stored.value("max_job_count", limits.max_job_count);
      if (stored.contains("max_submit")) {
        limits.max_submit = stored["max_submit"].get<std::int64_t>();
      }
    }
  }
  return limits;
}

}  // namespace

SiteLimits site_limits(const std::filesystem::path& file) {
  const auto answer = scheduler().limits();
  if (!answer) {
    return kept(file);
  }
  const auto& limits = *answer;
  nlohmann::ordered_json stored{{"max_array_size", limits.max_array_size},
                                {"max_job_count", limits.max_job_count}};
  if (limits.max_submit) {
    stored["max_submit"] = *limits.max_submit;
  }
  write_file(file, stored.dump(1) + "\n");
  return limits;
}

}  // namespace epochcast::jobs
