// Whether the times of two runs may stand beside each other.
#pragma once

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "src/record/record.hpp"
#include "src/record/run/parameter.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::record {

/// Why no time of the run may be compared with another's, or "": it did not end, or what
/// fault_of_attempt says.
std::string fault_of(const Record& record);
/// The same of a run that need not have ended: it was tainted, or ran in more than one attempt.
std::string fault_of_attempt(const Record& record);
using ParameterNames = std::set<std::string, std::less<>>;

/// Parameters of these concerns: fields of RunConfig, and what importers add to them.
ParameterNames names_of(std::initializer_list<run::ParameterRole> concerns);

/// The run's parameters but for those named `free`.
run::ParameterValues parameters_without(const Record& record, const ParameterNames& free);

/// The same of what can matter to the run's task: of an inference without what only a training
/// takes (optimizer, schedule, clip_norm ...).
run::ParameterValues effective_parameters(const Record& record, ParameterNames free);

/// Of these what can matter to the time of an epoch and its evaluations: without what ends or
/// repeats a run, where it computes, and how it learns, as the schedule and the optimizer's
/// figures.
run::ParameterValues epoch_parameters(const Record& record);
/// Of these what can matter to the time of a step: the same but for evaluations.
run::ParameterValues step_parameters(const Record& record);

/// "LibTorch 2.7.1 and 2.11.0": the libraries of which two runs had different versions; "" if there
/// are none, or if a run does not name its libraries.
std::string different_libraries(const Record& a, const Record& b);

/// "different parameters: batch=64, not 256 (separate them with --by or --filter)"; the brackets
/// hold `advice`.
std::string difference(const run::ParameterValues& own, const run::ParameterValues& common,
                       std::string_view advice = "separate them with --by or --filter");

}  // namespace epochcast::record
