#include "src/runner/ranks.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* clock_name = "clock_started_s";
constexpr double wait_for_end_s = 10;
constexpr double wait_for_file_s = 2;

/// Whether the file is of this user: in a folder that others may write to, theirs is no rank's.
bool is_own(const fs::path& file) {
  struct stat status {};
  return lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/// When the clock of this process was 0, in seconds since 1970.
double clock_started_s() {
  return wall_clock_s() - SteadyClock().now_s();
}

}  // namespace

Rank rank_in(const slurm::Environment& environment, const std::string& job_id) {
  slurm::Environment known = environment;
  if (slurm::variable(environment, "RANK").empty()) {
    known.erase("WORLD_SIZE");  // scripts set it for what they start themselves
  } else {
    known.emplace("WORLD_SIZE", "1");
  }
  known.emplace("LOCAL_RANK", "0");  // nothing listens here: host and port do not matter
  known.emplace("MASTER_ADDR", "localhost");
  known.emplace("MASTER_PORT", "1");
  const auto place = attempt::read_rank_place(known);
  const bool has_job =
      !job_id.starts_with("local-") || !slurm::variable(environment, "EPOCHCAST_JOB_ID").empty();
  return {place.rank, place.size, has_job ? job_id : fmt::format("local-{}", getppid())};
}

fs::path rank_record(const fs::path& folder, const Rank& rank) {
  return folder / fmt::format("rank-{}-{}.h5", rank.rank, rank.key);
}

record::ParameterRow clock_parameter() {
  return {.name = clock_name,
          .value = fmt::format("{:.6f}", clock_started_s()),
          .type = "number",
          .unit = "s"};
}

OtherRanks::OtherRanks(const Rank& own, const fs::path& folder) {
  for (std::int64_t rank = 0; rank < own.size; ++rank) {
    if (rank != own.rank) {
      const auto path = rank_record(folder, {rank, own.size, own.key});
      others_.emplace(rank, Other{path, record::JsonLinesTail(record::json_lines_path(path))});
    }
  }
}

void OtherRanks::collect(std::int64_t rank, Other& other, record::RecordWriter& record,
                         attempt::TelemetryRecorder& telemetry) {
  if (other.has_ended || !is_own(record::json_lines_path(other.path)) || !other.tail.read_on()) {
    return;
  }
  auto& content = other.tail.content().record;
  if (!other.is_seen) {
    const auto started_s = parse_double(record::parameter(content, clock_name));
    if (!started_s || content.machines.empty()) {
      return;  // the rest of its beginning comes next time
    }
    other.is_seen = true;
    other.to_own_clock_s = *started_s - clock_started_s();
    auto machine = content.machines.front();
    machine.rank = rank;
    record.append(machine);
    telemetry.add(machine);
  }
  const auto take = [&](auto& rows) {
    for (auto& row : rows) {
      row.rank = rank;
      row.end_s = std::max(row.end_s + other.to_own_clock_s, row.duration_s);
      record.append(row);
    }
  };
  take(content.telemetry);
  take(content.telemetry_cpus);
  take(content.telemetry_gpus);
  telemetry.add(content.telemetry, content.telemetry_gpus);
  content.telemetry.clear();
  content.telemetry_cpus.clear();
  content.telemetry_gpus.clear();
  const auto outcome = record::outcome_of(content.header);
  other.has_ended = outcome != run::Outcome::running;
  if (outcome == run::Outcome::failed) {
    other.failure = content.header.outcome_text.str();
  }
}

void OtherRanks::collect(record::RecordWriter& record, attempt::TelemetryRecorder& telemetry) {
  for (auto& [rank, other] : others_) {
    try {
      collect(rank, other, record, telemetry);
    } catch (const Error&) {  // not readable now; perhaps later
    }
  }
}

void OtherRanks::finish(record::RecordWriter& record, attempt::TelemetryRecorder& telemetry) {
  const SteadyClock clock;
  const double began_s = clock.now_s();
  const auto is_awaited = [&](const auto& entry) {
    const double waited_s = clock.now_s() - began_s;
    const auto& other = entry.second;
    return !other.has_ended && waited_s < (other.is_seen ? wait_for_end_s : wait_for_file_s);
  };
  collect(record, telemetry);
  while (std::ranges::any_of(others_, is_awaited)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    collect(record, telemetry);
  }
  for (const auto& [rank, other] : others_) {
    if (other.has_ended) {
      std::error_code ignored;
      fs::remove(other.path, ignored);
      fs::remove(record::json_lines_path(other.path), ignored);
    }
  }
}

std::string OtherRanks::failure() const {
  for (const auto& [rank, other] : others_) {
    if (!other.failure.empty()) {
      return fmt::format("rank {}: {}", rank, other.failure);
    }
  }
  return "";
}

std::string OtherRanks::note() const {
  std::vector<std::string> missing;
  for (const auto& [rank, other] : others_) {
    if (!other.is_seen) {
      missing.push_back(std::to_string(rank));
    }
  }
  return missing.empty() ? ""
                         : fmt::format(
                               "no telemetry of rank {}: the work folder is not one that "
                               "all ranks share",
                               join(missing, ", "));
}

}  // namespace epochcast::runner
