// A file store of MLflow, the folder `mlruns`: `mlflow ui --backend-store-uri DIR`. Parameters,
// metrics with their steps and times, and the record's header as tags. A run has the same id
// whenever it is exported.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "analysis/export/exporter.hpp"
#include "analysis/export/logged_metrics.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/digest.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::exporters {
namespace mlflow_exporter {

/// As a file's name in the store: other characters than MLflow allows become '_'.
std::string store_name(std::string name) {
  std::ranges::replace_if(
      name,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
               std::string_view("_-. /").find(c) == std::string_view::npos;
      },
      '_');
  return name;
}

/// RunStatus of MLflow's service.proto.
int status_of(run::Outcome outcome) {
  switch (outcome) {
    case run::Outcome::running:
      return 1;
    case run::Outcome::complete:
      return 3;
    case run::Outcome::stopped:
      return 5;
    default:
      return 4;
  }
}

std::string experiment_id(const std::string& name) {
  std::uint64_t number = 0;
  for (const char digit : hmac_sha256("experiment", name).substr(0, 14)) {
    number =
        16 * number + static_cast<std::uint64_t>(std::stoi(std::string(1, digit), nullptr, 16));
  }
  return std::to_string(number);
}

std::string meta_of_experiment(const std::string& name, std::int64_t created_ms) {
  return fmt::format(
      "artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\nlast_update_time: {}\n"
      "lifecycle_stage: active\nname: {}\n",
      experiment_id(name), created_ms, experiment_id(name), created_ms, json_text(name));
}

std::string meta_of_run(const record::Record& record, const std::string& experiment,
                        const std::string& id) {
  const auto& header = record.header;
  const auto start_ms = origin_ms(record);
  const auto finished_s = seconds_since_1970(header.finished_at.str());
  const auto end_ms = finished_s ? std::to_string(std::llround(1000 * *finished_s)) : "null";
  return fmt::format(
      "artifact_uri: {}/{}/artifacts\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\n"
      "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nrun_uuid: {}\nsource_name: ''\n"
      "source_type: 4\nsource_version: ''\nstart_time: {}\nstatus: {}\ntags: []\nuser_id: ''\n",
      experiment, id, end_ms, experiment, id, json_text(header.point.str()), id, start_ms,
      status_of(outcome_of(header)));
}

void add_run(const LoadedRecord& loaded, const std::string& experiment,
             std::vector<ExportedFile>& files) {
  const auto& record = loaded.record;
  const auto& header = record.header;
  const auto id = tracker_id(loaded, 32);
  const auto folder = fmt::format("{}/{}/", experiment, id);
  files.push_back({folder + "meta.yaml", meta_of_run(record, experiment, id)});
  for (const auto& parameter : record.parameters) {
    files.push_back({folder + "params/" + store_name(parameter.name.str()), parameter.value.str()});
  }
  files.push_back({folder + "tags/mlflow.runName", header.point.str()});
  for_each_field<record::RecordHeader>([&](const auto& field) {
    if constexpr (requires { (header.*field.member).str(); }) {
      if (const auto value = (header.*field.member).str(); !value.empty()) {
        files.push_back({fmt::format("{}tags/epochcast.{}", folder, field.name), value});
      }
    }
  });
  files.push_back({folder + "artifacts/record.txt", loaded.path + "\n"});  // MLflow wants a folder
  std::map<std::string, std::string> metrics;
  std::int64_t last_step = -1;
  for (const auto& metric : logged_metrics(record)) {
    if (metric.step != std::exchange(last_step, metric.step)) {
      metrics["epoch"] += fmt::format("{} {} {}\n", metric.at_ms, metric.epoch, metric.step);
    }
    metrics[store_name(metric.name)] +=
        fmt::format("{} {} {}\n", metric.at_ms, metric.value, metric.step);
  }
  for (auto& [name, lines] : metrics) {
    files.push_back({folder + "metrics/" + name, std::move(lines)});
  }
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  std::vector<ExportedFile> files;
  std::set<std::string> experiments;
  for (const auto& loaded : records) {
    const auto name = tracker_project(loaded.record);
    const auto experiment = experiment_id(name);
    if (experiments.insert(experiment).second) {
      files.push_back(
          {experiment + "/meta.yaml", meta_of_experiment(name, origin_ms(loaded.record))});
    }
    add_run(loaded, experiment, files);
  }
  return files;
}

}  // namespace mlflow_exporter

ExporterSpec mlflow() {
  return {.summary = "a file store of MLflow: parameters, metrics, tags of each run",
          .make = mlflow_exporter::make};
}

}  // namespace epochcast::analysis::exporters
