// Where one allocation overtakes another, forecast from a few networks on each.
#pragma once

#include <optional>
#include <variant>

#include "analysis/groups/sweep.hpp"
#include "src/forecast/scaling/crossing.hpp"
#include "src/forecast/scaling/step_cost.hpp"
#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::analysis {

struct SweepForecast {
  forecast::StepCost first;
  forecast::StepCost second;
  std::optional<forecast::Crossing>
      crossing;  ///< Of parameters; nothing: not within the networks' range.
  forecast::CrossingInterval interval_80;
  /// How more threads change a step; nothing: both columns were fitted by themselves.
  std::optional<forecast::ThreadedCost> threads = {};
};

/// From the networks of `sweep` at these places, which ran on both columns: what a step costs on
/// each (step_cost.hpp), and where along the sweep both cost the same. Between the networks, layers
/// and the logarithm of FLOPs are taken as straight in the logarithm of parameters, as they are
/// where widths double.
///
/// If the columns are threads of one process on the same CPU, `thread_wake_s` is known (the time by
/// which a further thread lengthens a parallel operator, as measure-device measures it) and the
/// layers are known, the second column is the first with more threads (threaded_cost.hpp): a layer
/// has three parallel operators in a training, its product and two gradients, and one in an
/// inference.
std::variant<SweepForecast, forecast::Refusal> sweep_forecast(
    const Sweep& sweep, const ColumnPair& pair, const std::vector<std::size_t>& networks,
    std::optional<double> thread_wake_s = {});

/// The networks that ran on both columns.
std::vector<std::size_t> networks_on_both(const Sweep& sweep, const ColumnPair& pair);

/// One step of the network there, the median of its runs: of each the median step after the
/// warm-up (of a few steps one that the system held up is a large part of their sum), or the
/// training's time over its steps where those were not recorded. Nothing if neither is known.
std::optional<forecast::SettingTime> network_step(const Sweep& sweep, std::size_t network,
                                                  std::size_t column);

}  // namespace epochcast::analysis
