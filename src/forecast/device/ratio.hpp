// How much longer the device part of a workload takes on another device, by the best available
// method. Each method is a tier: src/forecast/device/tiers/, one file per tier.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/forecast/device/rates.hpp"

namespace epochcast::device {

/// A workload as measured on one device.
struct MeasuredWork {
  std::string workload;          ///< Name of the workload, without the batch size.
  std::string kind;              ///< Workloads of one kind run similar operators; may be empty.
  double batch = 0;              ///< Samples per step; 0: not known.
  std::string precision;         ///< As recorded; empty: FP32.
  CountedWork work;              ///< Of one step.
  double time_s = 0;             ///< Of one step.
  bool single_operator = false;  ///< One operator was timed, not a program of many.
  /// The time is that of a sample, or of an epoch, and the batch is not the same on both devices,
  /// or not known to be: often it is what fits each.
  bool any_batch = false;
};

/// An earlier measurement of the same workload on the source device and on the target device.
struct Reference {
  MeasuredWork on_source;
  double ratio = 1;  ///< Time on the target divided by time on the source.
};

struct RatioQuestion {
  MeasuredWork measured;         ///< Measured on `from`.
  double batch_there = 0;        ///< On `to`, where it is any and known.
  const Device* from = nullptr;  ///< nullptr: not in the device database; the same for `to`.
  const Device* to = nullptr;
  const std::vector<Device>* database = nullptr;  ///< Never nullptr.
  std::vector<Reference> references = {};         ///< Other workloads, on the same two devices.
};

/// The precision that was measured, as it says something of both devices: on one without TF32, FP32
/// does not tell what the framework would do on another, so it counts as not stated.
std::string_view precision_of_both(std::string_view measured, const Device& from);

/// A ratio with its prediction intervals, given as half-widths of its logarithm: an interval is
/// [value / e^w, value · e^w], so it is the same in both directions.
struct Ratio {
  double value = 1;  ///< Time on `to` divided by time on `from`.
  double width_80 = 0;
  double width_95 = 0;
  std::string basis;  ///< "8 nearest of 159 other workloads measured on both".
};

/// Why a tier has no ratio.
struct NoRatio {
  std::string reason;
};

struct TierSpec {
  int rank = 0;  ///< 1 is tried first; no two have the same.
  std::string summary;
  std::string measured_error;   ///< Mean error, and on which data (score.py devices, 2026-11-21).
  bool for_comparison = false;  ///< Shown, but never used as the result.
  std::variant<Ratio, NoRatio> (*ratio)(const RatioQuestion& question);
};

namespace tiers {
const std::map<std::string, TierSpec>& all();
}

/// The tiers, sorted by rank.
std::vector<std::pair<std::string, TierSpec>> tiers_by_rank();

/// The result of one tier.
struct TierRatio {
  std::string tier;
  TierSpec spec;
  Ratio ratio;
};
/// The ratio of the first tier that has one and is not only for comparison; otherwise the reasons
/// of all tiers, in one line.
std::variant<TierRatio, NoRatio> best_ratio(const RatioQuestion& question);

/// A ratio with half-widths for a normal error of the logarithm whose mean absolute size is
/// `mean_error`: the standard deviation of a normal error is sqrt(pi/2) times its mean absolute
/// size.
Ratio with_normal_error(double value, double mean_error, std::string basis);

/// Half-widths of prediction intervals, of the logarithm of a ratio.
struct Widths {
  double of_80 = 0;
  double of_95 = 0;
};

/// Of a ratio by datasheets between devices that lie `years` apart (years_between): the variance
/// grows with the years, as that of a random walk with its length; devices of one year are half a
/// year apart. The factors are the 80 and 95 % quantiles of |log error| / sqrt(years + 0.5), every
/// pair of devices with the same weight: of programs (trainings, inference) over the trainings of
/// Gavel that the device limits, K80, P100 and V100; of single operators, which have their own
/// scatter where a program averages over that of its kernels, over the matrix products and
/// convolutions of DeepBench, T4, V100 and P100.
///
/// A batch that is or may be another adds in quadrature, in proportion to batch_octaves. The
/// factors are quantiles of what |log error| has beyond the width of programs, over epochs of
/// MLPerf, where each system has a batch of its own, A30, A100, H100 and L40S.
///
/// tests/bench/score_test.py (LearnedWidths) computes all six from these files.
Widths datasheet_widths(double years, const RatioQuestion& question);

/// By how many factors of 2 the batch of the question differs. Where the two are not stated they
/// may be what fits each card: then, by how many the memories differ.
double batch_octaves(const RatioQuestion& question);

inline constexpr double least_years = 0.5;
inline constexpr Widths program_widths{0.246, 0.469};
inline constexpr Widths operator_widths{0.254, 0.527};
inline constexpr Widths batch_widths{0.131, 0.198};

}  // namespace epochcast::device
