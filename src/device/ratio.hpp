// How much longer the device part of a workload takes on another device, by the best knowledge
// there is. A kind of knowledge is a tier: src/device/tiers/, one file each.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "src/device/rates.hpp"

namespace epochcast::device {

/// A workload as it was measured on one device.
struct MeasuredWork {
  std::string workload;   ///< What is computed, without the batch size.
  std::string kind;       ///< Workloads of one kind run the same sort of operators; may be empty.
  double batch = 0;       ///< Samples a step; 0: not known.
  std::string precision;  ///< As a record writes it; empty: FP32.
  CountedWork work;       ///< Of one step.
  double time_s = 0;      ///< Of one step.
};

/// The same workload measured on the source device and on the target: somebody's history.
struct Reference {
  MeasuredWork on_source;
  double ratio = 1;  ///< Time on the target over time on the source.
};

struct RatioQuestion {
  MeasuredWork measured;         ///< On `from`.
  const Device* from = nullptr;  ///< nullptr: not in the device database; so below.
  const Device* to = nullptr;
  const std::vector<Device>* database = nullptr;  ///< Never nullptr.
  std::vector<Reference> references = {};         ///< Of other workloads, between the same devices.
};

/// A ratio with its prediction intervals, given as half-widths of its logarithm: an interval is
/// [value / e^w, value · e^w], so that it is the same seen from either device.
struct Ratio {
  double value = 1;  ///< Time on `to` over time on `from`.
  double width_80 = 0;
  double width_95 = 0;
  std::string basis;  ///< "8 nearest of 159 other workloads measured on both".
};

/// Why a tier has no ratio.
struct NoRatio {
  std::string reason;
};

struct TierSpec {
  int rank = 0;  ///< 1 is asked first.
  std::string summary;
  std::string measured_error;   ///< Its mean error on what (validate devices, 2026-11-21).
  bool for_comparison = false;  ///< Shown, but never the answer.
  std::variant<Ratio, NoRatio> (*ratio)(const RatioQuestion& question);
};

namespace tiers {
const std::map<std::string, TierSpec>& all();
}

/// The tiers by rank.
std::vector<std::pair<std::string, TierSpec>> tiers_by_rank();

/// An answer of one tier.
struct TierRatio {
  std::string tier;
  TierSpec spec;
  Ratio ratio;
};
/// The first tier that answers and is not only for comparison; else the reasons of all, in one
/// line.
std::variant<TierRatio, NoRatio> best_ratio(const RatioQuestion& question);

/// Half-widths of a normal error of the logarithm whose mean size is `mean_error`: a normal error's
/// standard deviation is sqrt(pi/2) times its mean size.
Ratio with_normal_error(double value, double mean_error, std::string basis);

}  // namespace epochcast::device
