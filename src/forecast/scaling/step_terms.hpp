// The terms that the time of a step is a sum of, and the laws that are made of them.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/run/regression.hpp"
#include "src/forecast/scaling/step_setting.hpp"

namespace epochcast::forecast {

/// A part of the time of a step: a coefficient, which is not below 0, times a function of the
/// setting.
struct StepTerm {
  std::string_view name;  ///< For output: "attention".
  double (*amount)(const StepSetting&);
};

/// The terms of a law.
using StepTerms = std::vector<StepTerm>;

/// A law with its coefficients.
struct FittedStepLaw {
  StepTerms terms;
  std::vector<double> coefficients;  ///< One for each term, in seconds per amount; not below 0.

  double step_s(const StepSetting& at) const;
};

/// For each time, the amounts of the terms over the time: their sum times the coefficients is 1.
std::vector<Equation> equations_of(const StepTerms& terms, const std::vector<SettingTime>& times);

/// Fits the law of these terms by non-negative least squares of relative errors. `times` is not
/// empty.
FittedStepLaw fitted_law(const StepTerms& terms, const std::vector<SettingTime>& times);

/// Every law that settings like these could follow. Each consists of the arithmetic, divided among
/// the threads (roofline, Williams et al. 2009), and one choice for each dimension that varies:
///
/// * a fixed part, or a part for each layer, or both: launching;
/// * input length: nothing, or attention, with the square of the length (Vaswani et al. 2017);
/// * threads: nothing (linear speed-up), a part that is not divided (Amdahl 1967; shared memory
///   bandwidth is one, since all threads together have it), waking threads, or both. One thread
///   wakes the others one after another, for every layer;
/// * workers: nothing, the volume of a ring all-reduce (Patarasuk and Yuan 2009), a tree, messages
///   to each worker, or a part that grows with the work of the others: a shared machine;
/// * nodes: nothing, or a step for each further node.
///
/// Only laws with at most `most` terms are returned, at least the arithmetic alone; simpler laws
/// come first. A law has no term for a dimension that has one value in all `settings`.
std::vector<StepTerms> step_laws(const std::vector<StepSetting>& settings, std::size_t most);

}  // namespace epochcast::forecast
