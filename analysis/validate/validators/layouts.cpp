// The time of an iteration of a large model at a layout that was left out, from other layouts.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/validate/scoring.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/scaling/step_surface.hpp"

namespace epochcast::analysis::validators {
namespace layouts_validator {

using forecast::Prediction;
using forecast::SettingTime;
using forecast::StepSetting;

/// The times of one layout, by its batch: as many values of workers, tensor and pipeline
/// parallelism and micro batch. Times at several batches may not be measurements of their own.
using Layout = std::vector<SettingTime>;
/// The layouts of each network.
using Networks = std::map<std::string, std::vector<Layout>>;

struct Question {
  std::vector<SettingTime> given;  ///< Of the other layouts.
  SettingTime asked;
};

bool is_of(const Layout& layout, const StepSetting& at) {
  auto here = layout.front().setting;
  here.batch = at.batch;
  return here == at;
}

Networks networks_in(const CsvFile& file, ExcludedRows& excluded) {
  file.require({"gpus", "global_batch", "micro_batch", "tp", "pp", "iteration_ms"});
  Networks networks;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    std::map<std::string, double> at;
    for (const std::string column :
         {"gpus", "global_batch", "micro_batch", "tp", "pp", "iteration_ms"}) {
      const auto value = positive(file, row, column, excluded);
      if (!value) {
        break;
      }
      at[column] = *value;
    }
    if (at.size() < 6) {
      continue;
    }
    std::vector<std::string> name;
    for (const std::string column : {"workload", "set", "hidden", "heads", "layers", "length"}) {
      if (const auto& text = file.text(row, column); !text.empty()) {
        name.push_back(column + " " + text);
      }
    }
    const StepSetting setting{.batch = at["global_batch"] / at["gpus"],
                              .workers = at["gpus"],
                              .tensor = at["tp"],
                              .pipeline = at["pp"],
                              .micro_batch = at["micro_batch"]};
    auto& layouts = networks[join(name, ", ")];
    auto found =
        std::ranges::find_if(layouts, [&](const Layout& layout) { return is_of(layout, setting); });
    if (found == layouts.end()) {
      found = layouts.insert(layouts.end(), Layout());
    }
    found->push_back({setting, at["iteration_ms"] / 1000});
  }
  return networks;
}

/// Whether they differ in the number of replicas alone, which are nearly alike.
bool is_replicated(const Layout& a, const Layout& b) {
  const auto& here = a.front().setting;
  const auto& there = b.front().setting;
  return here.tensor == there.tensor && here.pipeline == there.pipeline &&
         here.micro_batch == there.micro_batch;
}

/// Each layout once, at the middle of its batches, from all others; or only from those that differ
/// in more than replicas.
std::vector<Question> questions_of(const Networks& networks, bool with_replicas) {
  constexpr std::size_t fewest_others = 3;
  std::vector<Question> questions;
  for (const auto& [name, layouts] : networks) {
    for (const auto& asked : layouts) {
      Question question;
      auto times = asked;
      std::ranges::sort(times, {}, [](const SettingTime& time) { return time.setting.batch; });
      question.asked = times[times.size() / 2];
      for (const auto& other : layouts) {
        if (&other != &asked && (with_replicas || !is_replicated(other, asked))) {
          question.given.insert(question.given.end(), other.begin(), other.end());
        }
      }
      if (layouts.size() > fewest_others && !question.given.empty()) {
        questions.push_back(std::move(question));
      }
    }
  }
  return questions;
}

std::optional<Prediction> ours(const Question& question) {
  const auto surface = forecast::StepSurface::fit(question.given);
  if (std::holds_alternative<forecast::Refusal>(surface)) {
    return std::nullopt;
  }
  const auto answer = std::get<forecast::StepSurface>(surface).forecast(question.asked.setting);
  const auto* found = std::get_if<forecast::SurfaceForecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(found->step_s);
}

/// The median of the others at the same batch of all GPUs, or of what a sample takes a GPU.
std::optional<Prediction> median_of_others(const Question& question, bool by_work) {
  std::vector<double> times;
  const auto& asked = question.asked.setting;
  for (const auto& [setting, step_s] : question.given) {
    if (by_work) {
      times.push_back(step_s / setting.batch * asked.batch);
    } else if (setting.batch * setting.workers == asked.batch * asked.workers) {
      times.push_back(step_s);
    }
  }
  return times.empty() ? std::nullopt : std::optional(Prediction{median_of(std::move(times))});
}

Prediction nearest_by_work(const Question& question) {
  const auto& asked = question.asked.setting;
  const auto nearest = std::ranges::min_element(question.given, {}, [&](const SettingTime& time) {
    return forecast::squared_doublings(time.setting, asked);
  });
  return {nearest->step_s / nearest->setting.batch * asked.batch};
}

table::Table scored(const std::string& name, const std::string& what,
                    const std::vector<Question>& questions) {
  std::vector<double> actual_s;
  for (const auto& question : questions) {
    actual_s.push_back(question.asked.step_s);
  }
  const std::vector<Rule<Question>> rules{
      {"epochcast", ours},
      {"nearest layout, by its work", nearest_by_work},
      {"median of the others, by their work",
       [](const Question& question) { return median_of_others(question, true); }},
      {"median of the others at that batch",
       [](const Question& question) { return median_of_others(question, false); }}};
  return score_table(
      name, fmt::format("Time of an iteration: {} layouts left out{}", questions.size(), what),
      actual_s, answers_of(rules, questions));
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions&) {
  ExcludedRows excluded;
  const auto networks = networks_in(file, excluded);
  const auto questions = questions_of(networks, true);
  if (questions.empty()) {
    throw Error(file.path() + ": no network with four layouts or more");
  }
  std::vector<table::Table> tables{scored("layouts", "", questions)};
  auto& notes = tables.front().notes;
  notes.emplace_back(
      "a layout (GPUs, tensor and pipeline parallelism, micro batch) is left out at all batches, "
      "and asked for at the middle one, from the other layouts of the network");
  if (const auto note = excluded.note()) {
    notes.push_back(*note);
  }
  if (const auto new_ones = questions_of(networks, false); !new_ones.empty()) {
    tables.push_back(scored("layouts_new", " with those that differ in replicas alone", new_ones));
  }
  return tables;
}

}  // namespace layouts_validator

ValidatorSpec layouts() {
  return {.summary = "the time of an iteration at a layout of a large model, from others",
          .columns =
              "gpus,global_batch,micro_batch,tp,pp,iteration_ms"
              "[,workload,set,hidden,heads,layers,length]",
          .score = layouts_validator::score};
}

}  // namespace epochcast::analysis::validators
