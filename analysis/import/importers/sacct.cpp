// The output of `sacct -P`: jobs of the accounting. They become one history of jobs and not a
// record each: 100,000 records would be 11 GB and take minutes, the history is 14 MB and takes
// seconds (tests/bench/history).
#include <fmt/format.h>

#include "analysis/import/importer.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/job_groups.hpp"
#include "src/slurm/accounting.hpp"

namespace epochcast::analysis::importers {
namespace sacct_importer {

Imported read_sacct(const std::string& file, const ImportOptions& options) {
  std::vector<history::NamePattern> patterns;
  for (const auto& name : options.names) {
    patterns.emplace_back(name);
  }
  auto accounting = slurm::read_accounting(read_text_or_gzip(file, most_text_mib), file);
  Imported imported;
  imported.remarks = std::move(accounting.problems);
  const auto all = accounting.jobs.size();
  std::erase_if(accounting.jobs, [&](const slurm::AccountedJob& job) {
    return !history::matches_any(patterns, job.job_name);
  });
  imported.jobs = std::move(accounting.jobs);
  imported.notes.push_back(fmt::format("{}: {}", file, counted(imported.jobs.size(), "job")));
  if (all > imported.jobs.size()) {
    imported.notes.back() +=
        fmt::format("; {} of another name", counted(all - imported.jobs.size(), "job"));
  }
  if (accounting.not_ended > 0) {
    imported.notes.back() += fmt::format("; {} not ended", counted(accounting.not_ended, "job"));
  }
  return imported;
}

}  // namespace sacct_importer

ImporterSpec sacct() {
  return {.summary = "the output of 'sacct -P': past jobs, for table history and plan --history",
          .read = sacct_importer::read_sacct};
}

}  // namespace epochcast::analysis::importers
