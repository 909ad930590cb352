#include "jobs/cluster/limits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::jobs {
namespace {

using nlohmann::json;

constexpr double timeout_s = 30;

/// "MaxArraySize            = 1001" of `scontrol show config`.
std::optional<std::int64_t> config_value(const std::string& text, std::string_view name) {
  for (const auto& line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals != std::string::npos && trim(std::string_view(line).substr(0, equals)) == name) {
      return parse_integer(trim(std::string_view(line).substr(equals + 1)));
    }
  }
  return std::nullopt;
}

/// The smallest MaxSubmit of this user's associations.
std::optional<std::int64_t> max_submit() {
  const auto answer = process::run_command(
      {"sacctmgr", "-n", "-P", "show", "assoc",
       fmt::format("user={}", getenv("USER") == nullptr ? "" : getenv("USER")), "format=maxsubmit"},
      timeout_s);
  std::optional<std::int64_t> least;
  for (const auto& line : split(answer.ok() ? answer.out : "", '\n')) {
    if (const auto value = parse_integer(trim(line)); value && (!least || *value < *least)) {
      least = value;
    }
  }
  return least;
}

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
  auto limits = kept(file);
  const auto config = process::run_command({"scontrol", "show", "config"}, timeout_s);
  if (!config.ok()) {
    return limits;
  }
  limits.max_array_size = config_value(config.out, "MaxArraySize").value_or(limits.max_array_size);
  limits.max_job_count = config_value(config.out, "MaxJobCount").value_or(limits.max_job_count);
  limits.max_submit = max_submit();
  nlohmann::ordered_json stored{{"max_array_size", limits.max_array_size},
                                {"max_job_count", limits.max_job_count}};
  if (limits.max_submit) {
    stored["max_submit"] = *limits.max_submit;
  }
  write_file(file, stored.dump(1) + "\n");
  return limits;
}

}  // namespace epochcast::jobs
