// The most memory of a run at a setting from the runs at other settings of the same network.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/validate/scoring.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/memory/memory_law.hpp"

namespace epochcast::analysis::validators {
namespace memory_validator {

using forecast::Prediction;
using memory::SettingPeak;

/// A number above 0, or 1 where the file does not say.
std::optional<double> or_one(const CsvFile& file, std::size_t row, const std::string& column,
                             ExcludedRows& excluded) {
  return file.text(row, column).empty() ? std::optional(1.0)
                                        : positive(file, row, column, excluded);
}

std::map<std::string, std::vector<SettingPeak>> networks_in(const CsvFile& file,
                                                            ExcludedRows& excluded) {
  std::map<std::string, std::vector<SettingPeak>> networks;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto bytes = positive(file, row, "peak_bytes", excluded);
    const auto batch = bytes ? positive(file, row, "batch", excluded) : std::nullopt;
    const auto length = batch ? or_one(file, row, "length", excluded) : std::nullopt;
    const auto parameters = length ? or_one(file, row, "parameters", excluded) : std::nullopt;
    const auto activations = parameters ? or_one(file, row, "activations", excluded) : std::nullopt;
    if (activations) {
      networks[file.text(row, "network")].push_back(
          {{*batch, *length, *parameters, *activations}, *bytes});
    }
  }
  return networks;
}

struct Question {
  std::vector<SettingPeak> given;
  SettingPeak asked;
};

/// Every run, from those of its network at other settings.
std::vector<Question> questions_of(
    const std::map<std::string, std::vector<SettingPeak>>& networks) {
  std::vector<Question> questions;
  for (const auto& [name, peaks] : networks) {
    for (const auto& asked : peaks) {
      Question question{peaks, asked};
      std::erase_if(question.given, [&](const auto& one) { return one.setting == asked.setting; });
      if (!question.given.empty()) {
        questions.push_back(std::move(question));
      }
    }
  }
  return questions;
}

std::optional<Prediction> ours(const Question& question) {
  const auto fitted = memory::MemoryLaw::fit(question.given);
  const auto* law = std::get_if<memory::MemoryLaw>(&fitted);
  if (law == nullptr) {
    return std::nullopt;
  }
  const auto answer = law->forecast(question.asked.setting);
  const auto* found = std::get_if<Prediction>(&answer);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// By the factors between batches, lengths and parameters.
std::optional<Prediction> nearest_run(const Question& question) {
  const auto& asked = question.asked.setting;
  return Prediction{std::ranges::min_element(question.given, {}, [&](const SettingPeak& one) {
                      return std::abs(std::log(one.setting.batch / asked.batch)) +
                             std::abs(std::log(one.setting.length / asked.length)) +
                             std::abs(std::log(one.setting.parameters / asked.parameters));
                    })->bytes};
}

/// Weight, gradient and the two moments of Adam in FP32.
std::optional<Prediction> by_parameters(const Question& question) {
  constexpr double each = 16;
  const double parameters = question.asked.setting.parameters;
  return parameters > 1 ? std::optional(Prediction{each * parameters}) : std::nullopt;
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions&) {
  file.require({"network", "batch", "peak_bytes"});
  ExcludedRows excluded;
  const auto networks = networks_in(file, excluded);
  const auto questions = questions_of(networks);
  if (questions.empty()) {
    throw Error(file.path() + ": no network was run at two settings");
  }
  std::vector<double> actual;
  for (const auto& question : questions) {
    actual.push_back(question.asked.bytes);
  }
  const std::vector<Rule<Question>> rules{
      {"epochcast", ours}, {"nearest run", nearest_run}, {"16 bytes a parameter", by_parameters}};
  auto table = score_table(
      "memory",
      fmt::format("The most memory at a setting from the other settings: {} runs of {} networks",
                  questions.size(), networks.size()),
      actual, answers_of(rules, questions));
  if (const auto note = excluded.note()) {
    table.notes.push_back(*note);
  }
  return {table};
}

}  // namespace memory_validator

ValidatorSpec memory() {
  return {.summary = "the most memory of a run at a setting from that at other settings",
          .columns = "network,batch,peak_bytes[,length,parameters,activations]",
          .score = memory_validator::score};
}

}  // namespace epochcast::analysis::validators
