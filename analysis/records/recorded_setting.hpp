// The setting of a recorded step, as the forecast surface takes it.
#pragma once

#include <string_view>

#include "src/forecast/scaling/step_setting.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// The parameter that states the most tokens of a sample.
inline constexpr std::string_view length_parameter = "model.length";

/// Where and with what a step of the run ran: of each rank its batch and its CPUs (of a GPU run 1),
/// its input length, and the numbers of ranks and nodes. FLOPs and layers are 1: not compared. The
/// batch is 0 if the record does not state it, the CPUs are 0 if they are not known.
forecast::StepSetting setting_of(const record::Record& record);

/// The same with the FLOPs per sample, and the layers as the parameter model.depth or model.layers,
/// as far as the record states them: for runs of different networks.
forecast::StepSetting setting_with_network(const record::Record& record);

}  // namespace epochcast::analysis
