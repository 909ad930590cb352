// A whole run at a setting that was not run, from its step and from a run at another setting.
#pragma once

#include <variant>

#include "analysis/predict/surface_settings.hpp"
#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/forecast/scaling/step_surface.hpp"

namespace epochcast::analysis {

struct SurfaceRun {
  double steps = 0;  ///< Of each worker, all epochs together; a smaller last one counts.
  /// Before the first step, and by how much that step is longer than a steady one; as in `like`.
  double before_s = 0;
  double steps_s = 0;
  double after_epochs_s = 0;  ///< Per sample it is proportional to the time of a step.
  forecast::Prediction total_s = {};
  const LoadedRecord* like = nullptr;  ///< The run nearest to the setting.
};

/// The run of `length` at `asked`, whose step is forecast as `step`. The samples of an epoch are
/// those of the nearest run that can be forecast itself, and so are the time before the first step
/// and what that step takes longer. What comes after an epoch grows and shrinks like the time of a
/// sample. Both are known to 30 % (host_uncertainty). Returns a Refusal if no run can be forecast,
/// with the reason of the nearest one, or if it does not state its samples per epoch.
std::variant<SurfaceRun, forecast::Refusal> surface_run(const SurfaceSettings& recorded,
                                                        const forecast::StepSetting& asked,
                                                        const forecast::SurfaceForecast& step,
                                                        const forecast::RunLength& length);

}  // namespace epochcast::analysis
