#include "jobs/campaign/record_tails.hpp"

#include <algorithm>

#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {

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
  auto& entry = entries_.at(path);
  const auto& record = entry.tail.content().record;
  const auto rows = record.iterations.size() + record.epochs.size();
  if (rows < entry.forecast_from || 20 * rows >= 21 * entry.forecast_from) {
    entry.forecast = forecast_of_running(record);
    entry.forecast_from = rows;
  }
  return progress_from(record, entry.forecast);
}

const record::Record* RecordTails::find(const std::string& path) const {
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : &found->second.tail.content().record;
}

}  // namespace epochcast::jobs
