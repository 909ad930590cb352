// The figures of a study as its authors published them: a file of analysis/published/, by name or
// path. Each run becomes a record with source "published" that holds what was published and nothing
// else. Runs that differ in more than the allocation name one of the study's `points`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::importers {
namespace published_importer {

using run::yaml::Node;

/// "lab" is the shipped file of that name; anything with a slash or a suffix is a path.
std::string path_of(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.find('/') != std::string::npos || fs::path(file).has_extension()) {
    return file;
  }
  const auto folder = installed_data("published", "analysis/published");
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

/// Sets the fields of a row that `node` has.
template <class Row>
void set_fields(Row& row, const Node& node, const std::string& what) {
  for (const auto& [key, value] : node.as_map(what).map) {
    std::vector<std::string> known;
    bool found = false;
    for_each_field<Row>([&](const auto& field) {
      known.emplace_back(field.name);
      if (field.name != key) {
        return;
      }
      found = true;
      if constexpr (std::is_arithmetic_v<value_of<decltype(field)>>) {
        row.*field.member = static_cast<value_of<decltype(field)>>(number_of(value));
      } else {
        row.*field.member = value.text();
      }
    });
    if (!found) {
      throw value.error(fmt::format("unknown key '{}'{}", key, did_you_mean(key, known)));
    }
  }
}

void add_parameters(record::Record& record, const Node& node) {
  for (const auto& [key, value] : node.as_map("parameters").map) {
    record.parameters.push_back(parameter_row(key, value.text()));
  }
}

/// A remark after those that the record has.
void add_note(record::Record& record, const Node& owner) {
  if (const auto* note = owner.find("note")) {
    const auto before = record.header.note.str();
    record.header.note = before + (before.empty() ? "" : "; ") + note->text();
  }
}

/// What all runs of the study have in common.
record::Record common_of(const Node& study) {
  record::Record record;
  record.header.tool_version = tool_version;
  record.header.tool_revision = tool_revision;
  record.header.created_at = iso8601();
  record.header.source = "published";
  record::set_outcome(record.header, run::Outcome::complete);
  record.header.outcome_text = required(study, "source").text();
  record.header.experiment = required(study, "study").text();
  record.header.job_id = "published";
  add_parameters(record, required(study, "parameters"));
  set_fields(record.work.emplace_back(), required(study, "work"), "counts");
  return record;
}

/// The requested number of a resource; 1 if the study does not state it.
std::int64_t asked_count(const record::Record& record, std::string_view name) {
  return std::max<std::int64_t>(1, parse_integer(asked(record, name)).value_or(1));
}

void set_allocation(record::Record& record, const std::string& name, const Node& node) {
  refuse_unknown(node, {"asked", "device", "cpu", "gpu", "taken_as", "note", "runs"});
  record.header.allocation = name;
  add_note(record, node);
  record.parameters.push_back(parameter_row("device", required(node, "device").text()));
  if (const auto* taken_as = node.find("taken_as")) {
    record.parameters.push_back(parameter_row("taken_as", taken_as->text()));
  }
  if (const auto* what = node.find("asked")) {
    for (const auto& [key, value] : what->as_map("what was asked for").map) {
      record.allocation.push_back(
          {.name = key, .asked = value.text(), .got = "", .difference = ""});
    }
  }
  const auto ranks = asked_count(record, "nodes") * asked_count(record, "tasks_per_node");
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    auto& machine = record.machines.emplace_back();
    machine.rank = rank;
    machine.cpu_model = text_or(node, "cpu", "");  // or the vendor, if the study states no more
    machine.gpu_name = text_or(node, "gpu", "");
  }
}

/// What the point that the run names has of its own.
void set_point(record::Record& record, const Node& study, const Node& run) {
  const auto* name = run.find("point");
  if (name == nullptr) {
    return;
  }
  const auto& points = required(study, "points");
  const auto* point = points.as_map("points").find(name->text());
  if (point == nullptr) {
    std::vector<std::string> known;
    for (const auto& [key, value] : points.map) {
      known.push_back(key);
    }
    throw name->error(fmt::format("the study has no point '{}'{}", name->text(),
                                  did_you_mean(name->text(), known)));
  }
  refuse_unknown(*point, {"parameters", "work", "note"});
  if (const auto* parameters = point->find("parameters")) {
    add_parameters(record, *parameters);
  }
  if (const auto* work = point->find("work")) {
    set_fields(record.work.front(), *work, "counts");
  }
  add_note(record, *point);
}

/// Epochs of the run, which become a parameter where they are not one yet; 0: not published.
std::int64_t set_epochs(record::Record& record, const Node& run) {
  if (const auto* node = run.find("epochs")) {
    const auto epochs = parse_integer(node->text());
    if (!epochs || *epochs < 1) {
      throw node->error(
          fmt::format("epochs: found '{}', expected a whole number above 0", node->text()));
    }
    record.parameters.push_back(parameter_row("epochs", node->text()));
  }
  return record::epochs_of(record);
}

/// The keys of a run that are times; every other one is a metric after its last epoch.
void set_run(record::Record& record, const Node& run) {
  constexpr std::int64_t whole_run = -1;
  const auto epochs = set_epochs(record, run);
  record.header.point =
      fmt::format("{}.{}{}.e{}", record.header.experiment.view(), record.header.allocation.view(),
                  run.find("point") == nullptr ? "" : "." + run.find("point")->text(), epochs);
  for (const auto& [key, value] : run.as_map("figures of a run").map) {
    if (key == "total_s") {
      record.spans.push_back(
          {.name = forecast::total_span, .epoch = -1, .duration_s = number_of(value)});
    } else if (key == "last_epoch_s") {
      if (epochs == 0) {
        throw value.error("last_epoch_s: the run does not state its number of epochs");
      }
      const auto& work = record.work.front();
      record.epochs.push_back({.epoch = epochs - 1,
                               .wall_s = number_of(value),
                               .samples = work.samples_per_epoch,
                               .iterations = work.iterations_per_epoch});
    } else if (key == "profile") {
      set_fields(record.profile.emplace_back(), value, "sums of a profile");
    } else if (key == "operators") {
      for (const auto& row : value.items()) {
        auto& added = record.operators.emplace_back();
        added.place = "host";
        set_fields(added, row, "times of an operator");
      }
    } else if (key != "epochs" && key != "point") {
      record.metrics.push_back(
          {.epoch = epochs > 0 ? epochs - 1 : whole_run, .name = key, .value = number_of(value)});
    }
  }
  if (record.operators.empty() != record.profile.empty()) {
    throw run.error("a profile has both: 'profile' with its sums, and 'operators'");
  }
  if (record.spans.empty() && record.metrics.empty() && record.operators.empty()) {
    throw run.error("the run has no figure: neither total_s nor any metric nor operators");
  }
}

Imported read(const std::string& file, const ImportOptions&) {
  const auto study = run::yaml::parse_file(path_of(file));
  refuse_unknown(study, {"study", "source", "parameters", "work", "points", "allocations"});
  const auto common = common_of(study);
  Imported imported;
  for (const auto& [name, allocation] : required(study, "allocations").as_map("allocations").map) {
    auto of_allocation = common;
    set_allocation(of_allocation, name, allocation);
    for (const auto& run : required(allocation, "runs").items()) {
      auto& record = imported.records.emplace_back(of_allocation);
      set_point(record, study, run);
      set_run(record, run);
    }
  }
  return imported;
}

}  // namespace published_importer

ImporterSpec published() {
  return {.summary = "figures published by a study: a name in analysis/published, or a file",
          .read = published_importer::read};
}

}  // namespace epochcast::analysis::importers
