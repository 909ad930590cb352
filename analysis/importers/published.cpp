// The figures of a study as its authors published them: a file of analysis/published/, by name or
// path. Each run becomes a record with source "published" that holds what was published and nothing
// else.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/importer.hpp"
#include "analysis/run_facts.hpp"
#include "epochcast/version.hpp"
#include "src/core/clock.hpp"
#include "src/core/data_folder.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/run/field_values.hpp"
#include "src/run/yaml.hpp"

namespace epochcast::importers {
namespace {

using yaml::Node;

/// "lab" is the shipped file of that name; anything with a slash or a suffix is a path.
std::string path_of(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.find('/') != std::string::npos || fs::path(file).has_extension()) {
    return file;
  }
  const auto folder = data_folder("published", "analysis/published");
  if (const auto path = folder / (file + ".yaml"); fs::exists(path)) {
    return path.string();
  }
  std::vector<std::string> known;
  for (const auto& entry : fs::directory_iterator(folder)) {
    known.push_back(entry.path().stem().string());
  }
  throw Error(
      fmt::format("no published figures are called '{}'{}", file, did_you_mean(file, known)));
}

const Node& required(const Node& map, std::string_view key) {
  const auto* node = map.as_map("keys").find(key);
  if (node == nullptr) {
    throw map.error(fmt::format("'{}' is missing", key));
  }
  return *node;
}

std::string text_or(const Node& map, std::string_view key, const std::string& otherwise) {
  const auto* node = map.find(key);
  return node == nullptr ? otherwise : node->text();
}

double number_of(const Node& node) {
  const auto value = parse_double(node.text());
  if (!value) {
    throw node.error(fmt::format("found '{}', expected a number", node.text()));
  }
  return *value;
}

void refuse_unknown(const Node& map, const std::vector<std::string>& known) {
  for (const auto& [key, value] : map.as_map("keys").map) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw value.error(fmt::format("unknown key '{}'{}", key, did_you_mean(key, known)));
    }
  }
}

Work work_of(const Node& node) {
  Work work;
  for (const auto& [key, value] : node.as_map("counts").map) {
    std::vector<std::string> known;
    bool found = false;
    for_each_field<Work>([&](const auto& field) {
      known.emplace_back(field.name);
      if (field.name != key) {
        return;
      }
      found = true;
      if constexpr (std::is_arithmetic_v<value_of<decltype(field)>>) {
        work.*field.member = static_cast<value_of<decltype(field)>>(number_of(value));
      } else {
        work.*field.member = value.text();
      }
    });
    if (!found) {
      throw value.error(fmt::format("unknown key '{}'{}", key, did_you_mean(key, known)));
    }
  }
  return work;
}

/// What all runs of the study have in common.
Record common_of(const Node& study) {
  Record record;
  record.header.tool_version = tool_version;
  record.header.tool_revision = tool_revision;
  record.header.created_at = iso8601();
  record.header.source = "published";
  record.header.outcome = "complete";
  record.header.outcome_text = required(study, "source").text();
  record.header.experiment = required(study, "study").text();
  record.header.job_id = "published";
  for (const auto& [key, value] : required(study, "parameters").as_map("parameters").map) {
    record.parameters.push_back(parameter_row(key, value.text()));
  }
  record.work.push_back(work_of(required(study, "work")));
  return record;
}

void set_allocation(Record& record, const std::string& name, const Node& node) {
  refuse_unknown(node, {"asked", "device", "gpu", "taken_as", "note", "runs"});
  record.header.allocation = name;
  record.header.note = text_or(node, "note", "");
  record.parameters.push_back(parameter_row("device", required(node, "device").text()));
  if (const auto* taken_as = node.find("taken_as")) {
    record.parameters.push_back(parameter_row("taken_as", taken_as->text()));
  }
  for (const auto& [key, value] : required(node, "asked").as_map("what was asked for").map) {
    record.allocation.push_back({.name = key, .asked = value.text(), .got = "", .difference = ""});
  }
  record.machines.emplace_back().gpu_name = text_or(node, "gpu", "");
}

/// The keys of a run that are times; every other one is a metric after its last epoch.
void set_run(Record& record, const Node& run) {
  const auto epochs_text = required(run, "epochs").text();
  const auto epochs = parse_integer(epochs_text);
  if (!epochs || *epochs < 1) {
    throw run.error(
        fmt::format("epochs: found '{}', expected a whole number above 0", epochs_text));
  }
  record.header.point = fmt::format("{}.{}.e{}", record.header.experiment.view(),
                                    record.header.allocation.view(), *epochs);
  record.parameters.push_back(parameter_row("epochs", epochs_text));
  record.spans.push_back(
      {.name = total_span, .epoch = -1, .duration_s = number_of(required(run, "total_s"))});
  for (const auto& [key, value] : run.map) {
    if (key == "last_epoch_s") {
      const auto& work = record.work.front();
      record.epochs.push_back({.epoch = *epochs - 1,
                               .wall_s = number_of(value),
                               .samples = work.samples_per_epoch,
                               .iterations = work.iterations_per_epoch});
    } else if (key != "epochs" && key != "total_s") {
      record.metrics.push_back({.epoch = *epochs - 1, .name = key, .value = number_of(value)});
    }
  }
}

Imported read(const std::string& file, const ImportOptions&) {
  const auto study = yaml::parse_file(path_of(file));
  refuse_unknown(study, {"study", "source", "parameters", "work", "allocations"});
  const auto common = common_of(study);
  Imported imported;
  for (const auto& [name, allocation] : required(study, "allocations").as_map("allocations").map) {
    auto of_allocation = common;
    set_allocation(of_allocation, name, allocation);
    for (const auto& run : required(allocation, "runs").items()) {
      set_run(imported.records.emplace_back(of_allocation), run);
    }
  }
  return imported;
}

}  // namespace

ImporterSpec published() {
  return {.summary = "figures that a study published: a name of analysis/published, or a file",
          .read = read};
}

}  // namespace epochcast::importers
