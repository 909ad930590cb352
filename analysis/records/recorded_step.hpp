// The time of one step of a recorded run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/forecast/device/ratio.hpp"
#include "src/forecast/scaling/bottleneck.hpp"
#include "src/forecast/scaling/step_setting.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// The model with its options: "dcgan", "resnet depth=50".
std::string workload_of(const record::Record& record);

struct RecordedStep {
  device::MeasuredWork measured;             ///< Workload: the model with its options.
  std::optional<forecast::StepParts> parts;  ///< Empty if single steps were not recorded.
};

/// From the start of each step of rank 0 to the start of the next in its epoch, those of the
/// warm-up (warm_up_length) left out, and the run's first step whatever its length: it is cold.
/// Where the host ran ahead of a GPU, so that this is less than the GPU's own time, that one; where
/// it is less than 0.8 of the epochs' time too, their time. Where no two others are of one epoch,
/// the own times of all but the first that take a full batch. Empty if there are none.
std::vector<double> steady_steps_s(const record::Record& record);

/// The mean of the same steps, or the first's where it is the only one; where single steps were not
/// recorded, the training's time over the number of steps, as of full ones. Nothing if the
/// record has no such times either.
std::optional<RecordedStep> recorded_step(const record::Record& record);

/// The mean step of a run that is only begun and recorded no steps, as logs of others show it: the
/// time of its epochs but the first (of the only one, where there is no other) over their
/// iterations, its evaluations included. Nothing without epochs, or if their iterations are not
/// known.
std::optional<RecordedStep> step_of_epochs(const record::Record& record);

/// Why the run says nothing about a batch's time, or "": it does not state its batch size, what
/// fault_of says, or no step of it was timed. That its batch did not fit into memory says
/// something.
std::string fault_of_step(const record::Record& record);

/// The parameter that states the most tokens of a sample.
inline constexpr std::string_view length_parameter = "model.length";

/// How a large model is divided: parameters of these names, and of the others that mean the same
/// (run::stated_names), are these dimensions of a setting.
inline constexpr auto layout_dimensions = std::span(forecast::dimensions).last<3>();
/// The parameter that states how many replicas of it there are, where one record holds them all.
inline constexpr std::string_view replicas_parameter = "data_parallel";

/// Where and with what a step of the run ran: of each worker its batch and its CPUs (of a GPU run
/// 1), its input length, the numbers of workers and nodes, and the layout. A worker is a rank;
/// where the stated layout has more workers than the record has ranks, it has so many. FLOPs and
/// layers are 1: not compared. The batch is 0 if the record does not state it, the CPUs are 0 if
/// they are not known.
forecast::StepSetting setting_of(const record::Record& record);

/// The same with the FLOPs per sample, and the layers as the parameter model.depth or model.layers,
/// as far as the record states them: for runs of different networks.
forecast::StepSetting setting_with_network(const record::Record& record);

}  // namespace epochcast::analysis
