// The time of a step at a setting that was not run, from steps at some settings: other batch sizes,
// input lengths, networks, threads, workers and nodes, several of them at once.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/scaling/law_error.hpp"
#include "src/forecast/scaling/step_setting.hpp"
#include "src/forecast/scaling/step_terms.hpp"
#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::forecast {

struct SurfaceForecast {
  Prediction step_s;
  double deviation = 0;              ///< Standard deviation of the logarithm of step_s.
  FittedStepLaw law;                 ///< The best of all laws.
  std::vector<std::string> reasons;  ///< Warnings, one line each.
};

/// The forecasts from some measured settings.
class StepSurface {
 public:
  /// Fits every law (step_laws) with fewer terms than measured settings; of more than 400 it
  /// leaves out those with terms that get nothing where all are fitted together, and of more than
  /// 40 it keeps the 40 that predict each setting best from the others by themselves. The best one
  /// has the least error if each setting is predicted from the others, of fewer than three settings
  /// the least error at these; of equals it is the simpler one. How near settings are to each other
  /// (Nearness) is chosen by the same error. Returns a Refusal if there are no times, or a number
  /// is not above 0.
  /// `unit`: of the times, as a refusal names it.
  static std::variant<StepSurface, Refusal> fit(std::vector<SettingTime> times,
                                                std::string unit = "s a step");

  /// The time of a step at `asked`: what the best law gives, times the error that it has at the
  /// settings nearby, because real devices have cliffs that no law has. A setting that was measured
  /// is forecast from its own time too.
  ///
  /// The deviation combines the errors of the settings when each is predicted from the others, once
  /// more for each doubling beyond the measurements, with the disagreement of the laws, because few
  /// settings do not decide between them. If `asked` has a value that no measurement has, a batch
  /// size for example, these are the errors without all settings of the same batch size, where they
  /// are larger: settings that differ in another dimension alone are no help then either. If its
  /// layout (tensor and pipeline parallelism, micro batch) is one that no measurement has, law and
  /// nearness are those that predict whole layouts best, and so are the errors.
  ///
  /// More threads or workers than measured are no faster than the last doubling of their number
  /// allows (limit_of) at the nearest settings that differ in that number alone.
  ///
  /// Returns a Refusal that names the dimension and a run that would help
  /// * if `asked` differs from all measurements in a dimension that never varied;
  /// * if dimensions always changed together, and `asked` does not;
  /// * if it is more than twice beyond the measurements in a dimension with two values;
  /// * if the ends of the 80 % interval differ by more than a factor of four.
  std::variant<SurfaceForecast, Refusal> forecast(const StepSetting& asked) const;

  const FittedStepLaw& law() const { return candidates_.front().law; }

 private:
  struct Candidate {
    FittedStepLaw law;
    std::vector<MissedTime> missed;  ///< At each measurement.
    /// Error at each distinct setting when predicted from the others, in logarithms; empty for
    /// fewer than three settings.
    std::vector<double> errors;
    double kinds = 0;  ///< How many of these are of different kinds.

    LawError error() const;
  };

  /// A law fitted to all settings, and without each of them.
  struct Fits;

  explicit StepSurface(std::vector<SettingTime> times);

  void choose_law();
  const StepSurface* from_other_layouts(const StepSetting& asked) const;
  /// Whether the time says nothing where the setting is predicted from the others.
  bool is_left_out(std::size_t time, std::size_t setting) const {
    return kind_of_[setting_of_[time]] == kind_of_[setting];
  }
  Fits fits_of(const StepTerms& terms) const;
  void take_missed(Fits& fits) const;
  std::vector<double> errors_of(const Fits& fits, const std::vector<double>& weights) const;
  std::vector<double> weights_of(const Nearness& nearness) const;
  double error_without(const StepSetting& setting,
                       const std::function<bool(const StepSetting&)>& is_kept) const;
  LawError error_without_values(std::size_t dimension) const;
  LawError error_at(const StepSetting& asked) const;
  double corrected_s(const Candidate& candidate, const StepSetting& at) const;
  struct Shortest;
  std::optional<Shortest> shortest_at(const StepSetting& asked, double StepSetting::*number) const;
  std::vector<RivalLaw> rivals_at(const StepSetting& at) const;

  std::vector<SettingTime> times_;       ///< As measured; a setting may have several.
  std::vector<StepSetting> settings_;    ///< Each once.
  std::vector<std::size_t> setting_of_;  ///< Of each time: its place in settings_.
  /// Of each setting: those of one kind are left out together where one is predicted from the rest.
  std::vector<std::size_t> kind_of_;
  std::vector<double> log_s_;  ///< Of each setting: its time, the mean of logarithms over its runs.
  std::vector<Candidate> candidates_;  ///< The best first.
  Nearness nearness_;
  std::string unit_;
  /// Of error_without_values: many forecasts ask for the same.
  mutable std::array<std::optional<LawError>, dimensions.size()> without_values_;
  mutable std::shared_ptr<const StepSurface> other_layouts_;  ///< Once it was asked for.
};

}  // namespace epochcast::forecast
