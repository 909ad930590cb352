#include "jobs/campaign/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "jobs/campaign/needs.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/experiment/model_options.hpp"
#include "jobs/script/service_words.hpp"
#include "jobs/script/shell_file.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/version.hpp"

namespace epochcast::jobs {
namespace {

void make_folders(const OutFolder& out) {
  for (const auto& folder : {out.scripts(), out.logs(), out.records(), out.work(), out.claims()}) {
    make_folder(folder);
  }
}

/// An output folder belongs to one experiment on one cluster.
void refuse_other_experiment(const OutFolder& out, const Experiment& experiment,
                             const Cluster& cluster) {
  if (!is_there(out.origin())) {
    return;
  }
  const auto before = read_origin(out);
  if (before.context.experiment != experiment.name || before.cluster.name != cluster.name) {
    throw Error(fmt::format(
        "{}: contains experiment '{}' on cluster '{}', expected '{}' on '{}'; use another folder",
        out.root.string(), before.context.experiment, before.cluster.name, experiment.name,
        cluster.name));
  }
}

/// In one line; empty: not given.
std::string rule_text(const run::yaml::Node& rule) {
  return rule.kind == run::yaml::Node::Kind::null ? "" : flow_text(rule);
}

void write_origin(const OutFolder& out, const GenerateRequest& request,
                  const Experiment& experiment, const Cluster& cluster,
                  const ScriptContext& context) {
  const nlohmann::ordered_json origin{
      {"root", out.root.string()},
      {"experiment", experiment.name},
      {"experiment_file", absolute_path(request.experiment).string()},
      {"cluster", cluster.name},
      {"cluster_file", absolute_path(cluster.file).string()},
      {"set", request.sets},
      {"filter", request.filters},
      {"trainer", context.trainer},
      {"watches", context.wraps_command},
      {"resumes", context.resumes},
      {"pilot_has_arguments", context.pilot_has_arguments},
      {"companions", context.helper_programs},
      {retry_key, rule_text(experiment.rules.retry)},
      {pack_key, rule_text(experiment.rules.pack)},
      {notify_key, context.then.empty() ? rule_text(experiment.rules.notify) : "none"},  // a pilot
      {"checkpoint_lead_s", context.checkpoint_lead.value},
      {"relatives", request.relatives.paths},
      {"may_differ", request.relatives.may_differ},
      {"tool_version", tool_version},
      {"tool_revision", tool_revision},
      {"made_at", iso8601()}};
  write_file(out.experiment(), read_file(request.experiment));
  write_file(out.cluster(), cluster.text);
  const auto bad_bytes = nlohmann::ordered_json::error_handler_t::replace;  // in names of files
  write_file(out.origin(), origin.dump(1, ' ', false, bad_bytes) + "\n");
}

/// Keeps only the points that the filters select.
void apply_filters(std::vector<Point>& points, const std::vector<std::string>& filters) {
  if (filters.empty()) {
    return;
  }
  std::unordered_set<std::string> chosen;
  for (const auto& row : select(index_of(points), filters)) {
    chosen.insert(row[Index::point]);
  }
  std::erase_if(points, [&](const Point& point) { return !chosen.contains(point.id); });
}

void write_scripts(const std::vector<Point>& points, const OutFolder& out, const Cluster& cluster,
                   const ScriptContext& context, GenerateReport& report) {
  write_file(out.scripts() / shell_file_name(), shell_functions);
  for (const auto& point : points) {
    const auto text = script_text(point, profile_of(cluster, point.allocation), context);
    const auto written = write_file(out.script(point.id), text);
    report.same += written == Written::same ? 1 : 0;
    if (written == Written::changed) {
      report.changed.push_back(point.id);
    }
  }
}

std::set<run::Task> tasks_of(const std::vector<Point>& points) {
  std::set<run::Task> tasks;
  std::ranges::transform(points, std::inserter(tasks, tasks.end()), task_of);
  return tasks;
}

/// The programs beside the trainer that the points need.
std::vector<std::string> helper_programs(const std::vector<Point>& points) {
  std::vector<std::string> names;
  for (const auto task : tasks_of(points)) {
    names.emplace_back(run::task_row(task).helper_program);
  }
  std::erase(names, "");
  return names;
}

}  // namespace

bool can_resume(const Matrix& matrix) {
  const auto& program = matrix.experiment.program;
  return program.is_given() ? !program.resume.arguments.empty()
                            : std::ranges::any_of(tasks_of(matrix.points), [](run::Task task) {
                                return run::task_row(task).resumes;
                              });
}

Matrix read_matrix(const GenerateRequest& request) {
  Matrix matrix{read_experiment(request.experiment, request.sets),
                read_cluster(find_cluster_file(request.cluster), request.site),
                {}};
  apply(matrix.experiment.rules, matrix.cluster);
  matrix.points = expand(matrix.experiment, matrix.cluster);
  apply_filters(matrix.points, request.filters);
  if (matrix.points.empty()) {
    throw Error(
        fmt::format("{}: no points are left; see 'exclude:' and --filter", request.experiment));
  }
  if (!matrix.experiment.program.is_given()) {
    check_options(matrix.points, installed_catalogue());
  }
  for (const auto& point : matrix.points) {
    if (!run::task_row(task_of(point)).helper_program.empty()) {
      const auto& site = profile_of(matrix.cluster, point.allocation);
      require_one_or_two_tasks(site);
      if (site.pack.is_used()) {  // its two programs would each ask for the share of a point
        throw Error(fmt::format(
            "{}: {}: a service or a stream cannot be packed; add 'pack: none' to the experiment",
            matrix.cluster.file, site.name));
      }
    }
  }
  return matrix;
}

GenerateReport write_matrix(const GenerateRequest& request, const Matrix& matrix,
                            const std::string& then) {
  const auto& [experiment, cluster, points] = matrix;
  const OutFolder out(request.out);
  const ScriptContext context{out.root,
                              experiment.name,
                              program_beside("epochcast-train"),
                              !cluster.is_local(),
                              experiment.program.is_given(),
                              can_resume(matrix),
                              !experiment.program.pilot.arguments.empty(),
                              helper_programs(points),
                              lead_before_limit(experiment.program, {}),
                              then};
  refuse_other_experiment(out, experiment, cluster);
  GenerateReport report{.experiment = experiment.name,
                        .cluster = cluster.name,
                        .points = points.size(),
                        .points_of = {},
                        .changed = {}};
  for (const auto& point : points) {
    ++report.points_of[point.allocation];
  }
  make_folders(out);
  write_scripts(points, out, cluster, context, report);
  auto index = index_of(points);
  if (is_there(out.index())) {
    index = merge(index, read_index(out));
    report.kept = index.rows.size() - points.size();
  }
  write_origin(out, request, experiment, cluster, context);
  write_file(out.index(), index_text(index));
  if (context.wraps_command) {
    write_file(out.needs(), needs_text(needs_of(points, out.root)));
  }
  return report;
}

GenerateReport generate(const GenerateRequest& request) {
  return write_matrix(request, read_matrix(request));
}

}  // namespace epochcast::jobs
