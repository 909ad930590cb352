#include "src/forecast/scaling/step_terms.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::forecast {
namespace {

double work_per_worker(const StepSetting& at) {
  return at.batch * at.flops * (at.flops == 1 ? at.input_length : 1);
}

constexpr StepTerm arithmetic_term{
    "arithmetic", [](const StepSetting& at) { return work_per_worker(at) / at.threads; }};
constexpr StepTerm fixed_term{"fixed", [](const StepSetting&) { return 1.0; }};
constexpr StepTerm layers_term{"layers", [](const StepSetting& at) { return at.layers; }};
constexpr StepTerm attention_term{"attention", [](const StepSetting& at) {
                                    return at.batch * at.input_length * at.input_length /
                                           at.threads;
                                  }};
constexpr StepTerm undivided_term{"not divided among threads", work_per_worker};
constexpr StepTerm wakes_term{"waking threads",
                              [](const StepSetting& at) { return at.layers * (at.threads - 1); }};
constexpr StepTerm ring_term{"ring all-reduce",
                             [](const StepSetting& at) { return (at.workers - 1) / at.workers; }};
constexpr StepTerm tree_term{"tree all-reduce",
                             [](const StepSetting& at) { return std::log2(at.workers); }};
constexpr StepTerm messages_term{"messages to each worker",
                                 [](const StepSetting& at) { return at.workers - 1; }};
constexpr StepTerm shared_term{"sharing the machine", [](const StepSetting& at) {
                                 return work_per_worker(at) * (at.workers - 1);
                               }};
constexpr StepTerm node_step_term{"each further node",
                                  [](const StepSetting& at) { return at.nodes - 1; }};

/// The choices of a dimension; the first is the simplest.
using Choices = std::vector<StepTerms>;

bool varies(const std::vector<StepSetting>& settings, double StepSetting::*value) {
  return std::ranges::any_of(settings, [&](const StepSetting& setting) {
    return setting.*value != settings.front().*value;
  });
}

std::vector<Choices> choices_for(const std::vector<StepSetting>& settings) {
  std::vector<Choices> all{{{}, {fixed_term}}};
  if (varies(settings, &StepSetting::layers)) {
    all.push_back({{}, {layers_term}});
  }
  if (varies(settings, &StepSetting::input_length)) {
    all.push_back({{}, {attention_term}});
  }
  if (varies(settings, &StepSetting::threads)) {
    all.push_back({{}, {undivided_term}, {wakes_term}, {undivided_term, wakes_term}});
  }
  if (varies(settings, &StepSetting::workers)) {
    all.push_back({{}, {ring_term}, {tree_term}, {messages_term}, {shared_term}});
  }
  if (varies(settings, &StepSetting::nodes)) {
    all.push_back({{}, {node_step_term}});
  }
  return all;
}

}  // namespace

double FittedStepLaw::step_s(const StepSetting& at) const {
  double sum_s = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum_s += coefficients[i] * terms[i].amount(at);
  }
  return sum_s;
}

std::vector<Equation> equations_of(const StepTerms& terms, const std::vector<SettingTime>& times) {
  std::vector<Equation> equations;
  for (const auto& time : times) {
    auto& equation = equations.emplace_back();
    for (const auto& term : terms) {
      equation.push_back(term.amount(time.setting) / time.step_s);
    }
  }
  return equations;
}

FittedStepLaw fitted_law(const StepTerms& terms, const std::vector<SettingTime>& times) {
  return {terms, non_negative_least_squares(equations_of(terms, times))};
}

std::vector<StepTerms> step_laws(const std::vector<StepSetting>& settings, std::size_t most) {
  std::vector<StepTerms> laws{{arithmetic_term}};
  for (const auto& choices : choices_for(settings)) {
    std::vector<StepTerms> longer;
    for (const auto& law : laws) {
      for (const auto& choice : choices) {
        auto& next = longer.emplace_back(law);
        next.insert(next.end(), choice.begin(), choice.end());
      }
    }
    laws = std::move(longer);
  }
  std::erase_if(laws,
                [&](const StepTerms& law) { return law.size() > std::max<std::size_t>(1, most); });
  std::ranges::stable_sort(laws, {}, &StepTerms::size);
  return laws;
}

}  // namespace epochcast::forecast
