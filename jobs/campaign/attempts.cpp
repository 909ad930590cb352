#include "jobs/campaign/attempts.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

#include "src/base/core/files.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

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
                   telemetry::disturbance_text(lines.record), efficiency::use_of(lines.record)};
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

const record::JsonLines& RecordTails::read(const std::string& path) {
  auto& entry = entries_.try_emplace(path, path).first->second;
  if (entry.tail.read_on()) {
    keep_what_is_needed(entry);
  }
  return entry.tail.content();
}

void RecordTails::keep_what_is_needed(Entry& entry) {
  constexpr std::size_t many_steps = 200'000;  // 16 MB
  constexpr std::size_t enough_epochs = 10;    // as many rows as a forecast needs
  auto& record = entry.tail.content().record;
  auto& steps = record.iterations;
  record::keep_first_rank(record);
  entry.only_epochs =
      entry.only_epochs || (steps.size() > many_steps && record.epochs.size() >= enough_epochs);
  if (entry.only_epochs || record::outcome_of(record.header) != run::Outcome::running) {
    steps.clear();
    steps.shrink_to_fit();
  }
  record.telemetry_cpus.clear();
}

Progress RecordTails::progress(const std::string& path) {
  return progress_from(entries_.at(path).tail.content().record);
}

const record::Record* RecordTails::find(const std::string& path) const {
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : &found->second.tail.content().record;
}

}  // namespace epochcast::jobs
