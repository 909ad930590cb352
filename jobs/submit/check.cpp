#include "jobs/submit/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "jobs/campaign/needs.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/experiment/model_options.hpp"
#include "jobs/scheduler/limits.hpp"
#include "jobs/scheduler/scheduler.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/measure/attempt/machine_cpus.hpp"
#include "src/record/record.hpp"
#include "src/slurm/job_environment.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

class FolderCheck {
 public:
  explicit FolderCheck(const std::string& out)
      : out_(out), index_(read_index(out_)), origin_(read_origin(out_)) {
    for (const auto& row : index_.rows) {
      if (row[Index::current] == "yes") {
        points_[row[Index::allocation]].push_back(&row);
      }
    }
  }

  CheckReport run() {
    check_origin();
    check_folders();
    check_names();
    if (origin_.context.wraps_command) {
      check_needs();
    } else {
      check_files();
      check_paths_given();
    }
    for (const auto& [name, rows] : points_) {
      const auto& profile = profile_of(origin_.cluster, name);
      check_programs(profile, rows.front()->at(Index::point));
      if (auto problem = bf16_problem(profile); problem && wants_cuda(name, "bf16")) {
        report_.problems.push_back(std::move(*problem));
      }
    }
    if (origin_.cluster.is_local()) {
      check_machine();
    } else {
      check_cluster();
    }
    return std::move(report_);
  }

 private:
  void add(const std::string& where, const std::string& text, const std::string& fix) {
    report_.problems.push_back({where, text, fix});
  }

  void check_origin() {
    if (const auto root = original_of(out_)) {
      add(out_.root,
          fmt::format("the folder was made as {} and its scripts write there", root->string()),
          fix_of_copy(out_));
    }
  }

  /// Before Slurm 23.02 a job with a missing log folder fails without a message.
  void check_folders() {
    for (const auto& folder :
         {out_.scripts(), out_.logs(), out_.records(), out_.work(), out_.claims()}) {
      if (std::error_code not_there; !fs::is_directory(folder, not_there)) {
        add(folder, "the folder is missing", "run 'epochcast-jobs generate' again");
      } else if (access(folder.c_str(), W_OK) != 0) {
        add(folder, "the folder is not writable", "change its permissions");
      }
    }
  }

  void check_names() {
    constexpr std::size_t longest = sizeof(record::RecordHeader::experiment);
    const auto& name = origin_.context.experiment;
    if (name.size() > longest) {
      add(name,
          fmt::format("the experiment's name has {} bytes, a record holds at most {}", name.size(),
                      longest),
          "choose a shorter 'name'");
    }
    for (const auto& [allocation, rows] : points_) {
      if (allocation.size() > sizeof(record::RecordHeader::allocation)) {
        add(allocation,
            fmt::format("the allocation's name has {} bytes, a record holds at most {}",
                        allocation.size(), sizeof(record::RecordHeader::allocation)),
            "choose a shorter name");
      }
    }
  }

  /// The values of `parameter` over all points; "" if it is not set.
  std::vector<std::string> values_of(const std::string& parameter) const {
    const auto column = index_.column(parameter);
    std::vector<std::string> values;
    for (const auto& [allocation, rows] : points_) {
      for (const auto* row : rows) {
        values.push_back(column ? row->at(*column) : "");
      }
    }
    return values;
  }

  void check_files() {
    for (const auto& parameter : path_parameters(catalogue_)) {
      std::set<std::string> paths;
      for (const auto& text : values_of(parameter)) {
        if (!text.starts_with(shipped_mark)) {
          std::ranges::move(split(text, ':'), std::inserter(paths, paths.end()));
        }
      }
      for (const auto& path : paths) {
        std::error_code error;
        if (!path.empty() && !fs::exists(path, error)) {
          add(path,
              error ? fmt::format("'{}' cannot be read: {}", parameter, error.message())
                    : fmt::format("the file or folder of '{}' does not exist", parameter),
              fmt::format("correct '{}', or copy the data there", parameter));
        }
      }
    }
  }

  void check_needs() {
    for (const auto& need : read_needs(out_)) {
      const auto& site = profile_of(origin_.cluster, need.allocation);
      const auto problem = problem_of(need);
      if (!problem) {
        continue;
      }
      const bool may_be_there = need.kind != Need::Kind::variable && !is_visible_here(site);
      if (may_be_there) {
        report_.remarks.push_back(
            fmt::format("allocation '{}': {}: {} on this machine; the job must have it ({})",
                        site.name, problem->where, problem->text, need.point));
      } else {
        report_.problems.push_back(*problem);
      }
    }
  }

  /// A data set without a default path needs one. A service and a stream take only the tokenizer
  /// and the names of the classes from it.
  void check_paths_given() {
    const auto datasets = values_of("dataset");
    const auto paths = values_of("dataset.path");
    const auto tasks = values_of("task");
    std::set<std::string> without_path;
    for (std::size_t i = 0; i < datasets.size(); ++i) {
      const auto& task = run::task_row(run::stated_task(tasks[i]));
      if (paths[i].empty() && task.has_epochs && needs_path(datasets[i])) {
        without_path.insert(datasets[i]);
      }
    }
    for (const auto& dataset : without_path) {
      add(dataset, "the data set needs 'dataset.path'",
          "generate again with --set dataset.path=PATH");
    }
  }

  bool needs_path(const std::string& dataset) const {
    const auto found = catalogue_.datasets.find(dataset);
    return found != catalogue_.datasets.end() &&
           std::ranges::any_of(found->second, [](const run::OptionSpec& option) {
             return option.name == "path" && option.default_value.empty();
           });
  }

  void check_programs(const AllocationProfile& site, const std::string& point) {
    check_image(site);
    const auto missing = missing_program(site, origin_.context);
    if (!missing.empty() && !is_visible_here(site)) {
      report_.remarks.push_back(fmt::format(
          "allocation '{}': the program '{}' is not on this machine; the job must have it after "
          "its modules and setup lines ({})",
          site.name, missing, point));
    } else if (!missing.empty()) {
      add(site.name,
          fmt::format("the program '{}' does not exist or is not executable ({})", missing, point),
          "build it, or correct 'trainer' or 'launch_prefix' in the profile");
    } else if (site.launch_prefix.empty() && is_visible_here(site)) {
      start_program(site);
    }
  }

  /// Whether this machine shows what the job will start: no container, modules or setup lines
  /// prepare it.
  static bool is_visible_here(const AllocationProfile& site) {
    return !site.container.is_used() && site.modules.empty() && site.setup.empty();
  }

  void check_image(const AllocationProfile& site) {
    const auto& image = site.container.image;
    std::error_code ignored;
    if (image.starts_with('/') && !fs::exists(image, ignored)) {
      report_.remarks.push_back(
          fmt::format("allocation '{}': the image '{}' is not on this machine; the nodes must "
                      "have it",
                      site.name, image));
    } else if (site.container.is_used()) {
      report_.remarks.push_back(
          fmt::format("allocation '{}': '{}' runs in the image '{}', which was not checked",
                      site.name, program_of(site, origin_.context), image));
    }
  }

  /// Starts the trainer once, as the job will.
  void start_program(const AllocationProfile& site) {
    constexpr double timeout_s = 60;
    const auto program = program_of(site, origin_.context);
    std::map<std::string, std::string> environment;
    if (!site.launch.torch.empty()) {
      environment.emplace("EPOCHCAST_TORCH", site.launch.torch);
    }
    const auto version = process::run_command({program, "--version"}, timeout_s, environment);
    if (!version.ok()) {
      report_.remarks.push_back(
          fmt::format("allocation '{}': '{} --version' fails on this machine: {}", site.name,
                      program, slurm::first_line(version.err)));
    } else if (wants_cuda(site.name)) {
      if (auto problem = gpu_problem(site, program, version.out)) {
        report_.problems.push_back(std::move(*problem));
      }
    }
  }

  /// Whether it has a point on a GPU, of this precision if it is given.
  bool wants_cuda(const std::string& allocation, const std::string& precision = "") const {
    const auto device = index_.column("device");
    const auto of_precision = index_.column("precision");
    const auto& profile = profile_of(origin_.cluster, allocation);
    const bool is_here = !origin_.cluster.is_local() || attempt::why_not_here(profile.asks).empty();
    return is_here && device && std::ranges::any_of(points_.at(allocation), [&](const auto* row) {
             return row->at(*device) == "cuda" &&
                    (precision.empty() || (of_precision && row->at(*of_precision) == precision));
           });
  }

  void check_machine() {
    for (const auto& [name, rows] : points_) {
      if (const auto reason = attempt::why_not_here(profile_of(origin_.cluster, name).asks);
          !reason.empty()) {
        report_.remarks.push_back(fmt::format("allocation '{}' will be skipped ({}): {}", name,
                                              counted(rows.size(), "point"), reason));
      }
    }
  }

  void check_cluster() {
    slurm::leave_enclosing_job();
    const auto cluster = scheduler().site();
    if (!cluster.answered) {
      report_.all_checked = false;
      report_.remarks.push_back(fmt::format(
          "the controller does not answer ({}); the allocations were not checked", cluster.error));
      return;
    }
    check_counts();
    for (const auto& [name, rows] : points_) {
      const auto profile = packed(profile_of(origin_.cluster, name));
      auto problems = check_site(profile, cluster.partitions, slurm::this_user());
      append(report_.remarks, partition_remarks(profile, cluster.partitions, slurm::this_user()));
      if (problems.empty()) {
        problems = test_with_sbatch(name, rows.front()->at(Index::point));
      }
      report_.problems.insert(report_.problems.end(), problems.begin(), problems.end());
    }
  }

  void check_counts() {
    const auto limits = site_limits(out_.site());
    std::int64_t count = 0;
    for (const auto& [name, rows] : points_) {
      count += static_cast<std::int64_t>(rows.size());
    }
    const auto most =
        std::min(limits.max_submit.value_or(limits.max_job_count), limits.max_job_count);
    if (count > most) {
      report_.remarks.push_back(
          fmt::format("{} points, but the site accepts {} jobs at a time: run 'submit' again for "
                      "the rest",
                      count, most));
    }
  }

  /// All points of an allocation have the same header, so one of them is enough.
  std::vector<Problem> test_with_sbatch(const std::string& allocation,
                                        const std::string& point) const {
    const auto messages = scheduler().refusal_of(out_.script(point));
    if (messages.empty()) {
      return {};
    }
    return {{allocation, fmt::format("sbatch --test-only: {}", join(messages, " / ")),
             "correct the allocation in the profile"}};
  }

  OutFolder out_;
  Index index_;
  Origin origin_;
  Catalogue catalogue_ = installed_catalogue();
  std::map<std::string, std::vector<const CsvRow*>> points_;
  CheckReport report_;
};

}  // namespace

CheckReport check(const std::string& out) {
  return FolderCheck(out).run();
}

}  // namespace epochcast::jobs
