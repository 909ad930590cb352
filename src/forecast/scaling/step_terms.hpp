// The terms that the time of a step is a sum of, and the laws that are made of them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "src/forecast/scaling/step_setting.hpp"
#include "src/forecast/statistics/regression.hpp"

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
  /// The part of that time by one of the terms; 0 if the law does not have it.
  double part_s(const StepTerm& term, const StepSetting& at) const;
};

/// Every term of a law. One thread wakes the others one after another, for every layer. Workers
/// exchange the volume of a ring all-reduce (Patarasuk and Yuan 2009), a tree, or messages to each
/// of the others; they share a machine, and beyond that keep each other's data coherent (USL,
/// Gunther 1993).
namespace terms {
constexpr double work_per_worker(const StepSetting& at) {
  return at.batch * at.flops * (at.flops == 1 ? at.input_length : 1);
}

inline constexpr StepTerm arithmetic{
    "arithmetic", [](const StepSetting& at) { return work_per_worker(at) / at.threads; }};
inline constexpr StepTerm fixed{"fixed", [](const StepSetting&) { return 1.0; }};
inline constexpr StepTerm layers{"layers", [](const StepSetting& at) { return at.layers; }};
inline constexpr StepTerm attention{"attention", [](const StepSetting& at) {
                                      return at.batch * at.input_length * at.input_length /
                                             at.threads;
                                    }};
inline constexpr StepTerm undivided{"not divided among threads", work_per_worker};
inline constexpr StepTerm wakes{"waking threads",
                                [](const StepSetting& at) { return at.layers * (at.threads - 1); }};
/// A worker exchanges the gradients of its part of the network with its replicas.
constexpr double part_of_network(const StepSetting& at) {
  return 1 / (at.tensor * at.pipeline);
}
inline constexpr StepTerm ring{"ring all-reduce", [](const StepSetting& at) {
                                 return part_of_network(at) * (1 - 1 / at.replicas());
                               }};
inline constexpr StepTerm tree{"tree all-reduce",
                               [](const StepSetting& at) { return std::log2(at.replicas()); }};
inline constexpr StepTerm messages{"messages to each worker", [](const StepSetting& at) {
                                     return part_of_network(at) * (at.replicas() - 1);
                                   }};
inline constexpr StepTerm shared{"sharing the machine", [](const StepSetting& at) {
                                   return work_per_worker(at) * (at.workers - 1);
                                 }};
inline constexpr StepTerm coherency{
    "keeping data coherent", [](const StepSetting& at) { return at.workers * (at.workers - 1); }};
/// The times that a worker computes a micro batch or waits for one: while a pipeline fills and
/// empties, each of its workers waits for as many as there are others (Narayanan et al. 2021).
constexpr double micro_steps(const StepSetting& at) {
  return at.micro_batches() + at.pipeline - 1;
}
inline constexpr StepTerm bubble{"pipeline bubble", [](const StepSetting& at) {
                                   return work_per_worker(at) * (at.pipeline - 1) /
                                          at.micro_batches();
                                 }};
inline constexpr StepTerm micro_launches{"launching each micro batch", [](const StepSetting& at) {
                                           return micro_steps(at) * at.layers / at.pipeline;
                                         }};
/// Each layer of each micro batch ends with all-reduces of its activations among the workers that
/// share it (Shoeybi et al. 2019): their volume, and their number.
inline constexpr StepTerm tensor_volume{"all-reduce of activations", [](const StepSetting& at) {
                                          return micro_steps(at) * at.micro_batch *
                                                 at.input_length * at.layers / at.pipeline *
                                                 (1 - 1 / at.tensor);
                                        }};
inline constexpr StepTerm tensor_calls{"calls of that all-reduce", [](const StepSetting& at) {
                                         return micro_steps(at) * at.layers / at.pipeline *
                                                std::log2(at.tensor);
                                       }};
inline constexpr StepTerm node_step{"each further node",
                                    [](const StepSetting& at) { return at.nodes - 1; }};
}  // namespace terms

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
/// * nodes: nothing, or a step for each further node;
/// * tensor parallelism: nothing, or all-reduces of activations by their volume, or also by their
///   number (Shoeybi et al. 2019);
/// * pipeline parallelism: nothing, or its bubble (Narayanan et al. 2021);
/// * micro batch: nothing, or launching each.
///
/// Only laws with at most `most` terms are returned, at least the arithmetic alone; simpler laws
/// come first. A law has no term for a dimension that has one value in all `settings`.
std::vector<StepTerms> step_laws(const std::vector<StepSetting>& settings, std::size_t most);

/// A law of the loss of each worker, by its name in output.
struct ScalingLaw {
  std::string name;
  StepTerms terms;
};

/// The laws of scaling.hpp, each growing faster than the one before. If `with_nodes`, all of them
/// follow once more, with a step per node.
std::vector<ScalingLaw> scaling_laws(bool with_nodes);

}  // namespace epochcast::forecast
