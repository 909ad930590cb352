#include "src/forecast/history/history_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "src/base/config/csv_rows.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast::history {
namespace {

auto job_key(const slurm::AccountedJob& job) {
  return std::tuple(job.cluster, job.job, job.submitted_at, job.started_at);
}

}  // namespace

std::string history_of(const std::string& folder) {
  return (std::filesystem::path(folder) / "history.csv").string();
}

bool is_history(const std::string& path) {
  return path.ends_with(".csv") || is_there(history_of(path));
}

std::vector<slurm::AccountedJob> read_history(const std::string& path,
                                              std::vector<std::string>* damaged) {
  std::error_code ignored;
  const auto file = std::filesystem::is_directory(path, ignored) ? history_of(path) : path;
  if (!is_there(file)) {
    throw Error(fmt::format(
        "{}: no such history; 'epochcast-analyze import sacct FILE -o DIR' creates one", file));
  }
  const auto text = read_file(file);
  return run::rows_of_csv<slurm::AccountedJob>(file, text, "elapsed_s", "a history of jobs",
                                               damaged);
}

std::string add_to_history(const std::string& folder,
                           const std::vector<slurm::AccountedJob>& jobs) {
  make_folder(folder);
  const auto path = history_of(folder);
  std::vector<std::string> damaged;
  auto all = is_there(path) ? read_history(path, &damaged) : std::vector<slurm::AccountedJob>{};
  if (!damaged.empty()) {
    throw RunError(
        fmt::format("{}; remove the line or the file, and import again", damaged.front()));
  }
  std::map<decltype(job_key(all.front())), std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    places.emplace(job_key(all[i]), i);
  }
  for (const auto& job : jobs) {
    const auto [place, is_new] = places.emplace(job_key(job), all.size());
    if (is_new) {
      all.push_back(job);
    } else {
      all[place->second] = job;
    }
  }
  write_file(path, run::csv_of_rows(all));
  return path;
}

}  // namespace epochcast::history
