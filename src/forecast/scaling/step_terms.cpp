#include "src/forecast/scaling/step_terms.hpp"

#include <algorithm>

namespace epochcast::forecast {
namespace {

/// What a law may have if a dimension varies; the first choice is the simplest.
struct DimensionChoices {
  double StepSetting::*value;
  std::vector<StepTerms> choices;
};

const std::vector<DimensionChoices>& choices_by_dimension() {
  using namespace terms;
  static const std::vector<DimensionChoices> all{
      {&StepSetting::layers, {{}, {layers}}},
      {&StepSetting::input_length, {{}, {attention}}},
      {&StepSetting::threads, {{}, {undivided}, {wakes}, {undivided, wakes}}},
      {&StepSetting::workers, {{}, {ring}, {tree}, {messages}, {shared}}},
      {&StepSetting::nodes, {{}, {node_step}}},
      {&StepSetting::tensor, {{}, {tensor_volume}, {tensor_volume, tensor_calls}}},
      {&StepSetting::pipeline, {{}, {bubble}}},
      {&StepSetting::micro_batch, {{}, {micro_launches}}}};
  return all;
}

bool varies(const std::vector<StepSetting>& settings, double StepSetting::*value) {
  return std::ranges::any_of(settings, [&](const StepSetting& setting) {
    return setting.*value != settings.front().*value;
  });
}

/// Each of the laws with each of the choices.
std::vector<StepTerms> combined(const std::vector<StepTerms>& laws,
                                const std::vector<StepTerms>& choices) {
  std::vector<StepTerms> longer;
  for (const auto& law : laws) {
    for (const auto& choice : choices) {
      auto& next = longer.emplace_back(law);
      next.insert(next.end(), choice.begin(), choice.end());
    }
  }
  return longer;
}

}  // namespace

double FittedStepLaw::step_s(const StepSetting& at) const {
  double sum_s = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum_s += coefficients[i] * terms[i].amount(at);
  }
  return sum_s;
}

double FittedStepLaw::part_s(const StepTerm& term, const StepSetting& at) const {
  const auto found = std::ranges::find(terms, term.name, &StepTerm::name);
  return found == terms.end()
             ? 0
             : coefficients[static_cast<std::size_t>(found - terms.begin())] * term.amount(at);
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
  auto laws = combined({{terms::arithmetic}}, {{}, {terms::fixed}});
  for (const auto& [value, choices] : choices_by_dimension()) {
    laws = varies(settings, value) ? combined(laws, choices) : laws;
  }
  std::erase_if(laws,
                [&](const StepTerms& law) { return law.size() > std::max<std::size_t>(1, most); });
  std::ranges::stable_sort(laws, {}, &StepTerms::size);
  return laws;
}

std::vector<ScalingLaw> scaling_laws(bool with_nodes) {
  using namespace terms;
  std::vector<ScalingLaw> all{{"none", {arithmetic}},
                              {"(n-1)/n", {arithmetic, ring}},
                              {"log n", {arithmetic, tree}},
                              {"n-1", {arithmetic, messages}},
                              {"n-1 and n(n-1)", {arithmetic, messages, coherency}}};
  if (with_nodes) {
    for (auto law : std::vector(all)) {
      law.name += ", a step a node";
      law.terms.push_back(node_step);
      all.push_back(law);
    }
  }
  return all;
}

}  // namespace epochcast::forecast
