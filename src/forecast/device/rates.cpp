#include "src/forecast/device/rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/core/statistics.hpp"

namespace epochcast::device {
namespace {

constexpr double tera = 1e12;
constexpr double giga = 1e9;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct AchievedFigures {
  Figure DeviceFigures::*product;
  Figure DeviceFigures::*convolution;
};

/// The figures for a precision as recorded: "fp32+tf32-conv" uses TF32 in convolutions only.
AchievedFigures achieved_figures(const Device& device, std::string_view precision) {
  if (precision.starts_with("bf16")) {
    return {&DeviceFigures::achieved_bf16_tflops, &DeviceFigures::achieved_conv_bf16_tflops};
  }
  if (precision.starts_with("fp16")) {
    return {&DeviceFigures::achieved_fp16_tflops, &DeviceFigures::achieved_conv_fp16_tflops};
  }
  AchievedFigures figures{&DeviceFigures::achieved_fp32_tflops,
                          &DeviceFigures::achieved_conv_fp32_tflops};
  const bool has_tf32 =
      device.figures.tf32_tflops.known() || device.figures.achieved_tf32_tflops.known();
  const bool all = precision == "tf32" || (precision.empty() && uses_tf32(device, precision));
  if (has_tf32 && (all || contains(precision, "tf32-matmul"))) {
    figures.product = &DeviceFigures::achieved_tf32_tflops;
  }
  if (has_tf32 && (all || contains(precision, "tf32-conv"))) {
    figures.convolution = &DeviceFigures::achieved_conv_tf32_tflops;
  }
  return figures;
}

double watts_per_tflops(const Device& device) {
  const auto& figures = device.figures;
  return figures.tdp_w.known() && figures.fp32_tflops.known()
             ? figures.tdp_w.value / figures.fp32_tflops.value
             : 0;
}

constexpr double others_each = 0.36;  ///< Instructions beside each floating-point operation.

/// One multiprocessor, a clock: NVIDIA, CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions", and the number of its schedulers, 32 threads each ("Compute
/// Capability"); AMD, CDNA, CDNA 2 and CDNA 3 instruction set guides.
struct Chip {
  std::string_view architecture;
  double results = 0;                 ///< FP32 operations.
  double slots = 0;                   ///< Threads for which an instruction is issued.
  int year = 0;                       ///< Of the first device with it.
  double results_an_instruction = 1;  ///< Of one thread.
};

constexpr std::array chips{
    Chip{"sm_35", 192, 128, 2013},  Chip{"sm_37", 192, 128, 2014},   Chip{"sm_50", 128, 128, 2014},
    Chip{"sm_52", 128, 128, 2014},  Chip{"sm_60", 64, 64, 2016},     Chip{"sm_61", 128, 128, 2016},
    Chip{"sm_70", 64, 128, 2017},   Chip{"sm_75", 64, 128, 2018},    Chip{"sm_80", 64, 128, 2020},
    Chip{"sm_86", 128, 128, 2020},  Chip{"sm_89", 128, 128, 2022},   Chip{"sm_90", 128, 128, 2022},
    Chip{"sm_100", 128, 128, 2024}, Chip{"sm_120", 128, 128, 2025},  Chip{"gfx908", 64, 64, 2020},
    Chip{"gfx90a", 64, 64, 2021},   Chip{"gfx942", 128, 64, 2023, 2}};

bool is_16_bit(std::string_view precision) {
  return precision.starts_with("fp16") || precision.starts_with("bf16");
}

/// How many times its FP32 peak the median device of the architecture has at this precision; 0 if
/// none has one.
double times_fp32(std::string_view architecture, std::string_view precision,
                  const std::vector<Device>& database) {
  std::vector<double> times;
  for (const auto& other : database) {
    const auto peak = peak_for(other, precision).tflops;
    if (other.architecture == architecture && peak.known() && other.figures.fp32_tflops.known()) {
      times.push_back(peak.value / other.figures.fp32_tflops.value);
    }
  }
  return times.empty() ? 0 : median_of(std::move(times));
}

/// nullptr if it is not known.
const Chip* chip_of(const Device& device) {
  const auto chip = std::find_if(chips.begin(), chips.end(), [&](const Chip& one) {
    return one.architecture == device.architecture;
  });
  return chip == chips.end() ? nullptr : &*chip;
}

}  // namespace

double time_at_s(const Rates& rates, const CountedWork& work) {
  return (work.flops - work.convolution_flops) / rates.product_flop_s +
         work.convolution_flops / rates.convolution_flop_s + work.bytes / rates.byte_s;
}

double ratio_of(const Rates& from, const Rates& to, const CountedWork& work) {
  return time_at_s(to, work) / time_at_s(from, work);
}

double geometric_ratio(const Rates& from, const Rates& to, const CountedWork& work) {
  const double share = work.flops > 0 ? work.convolution_flops / work.flops : 1;
  const CountedWork arithmetic{.flops = 1, .convolution_flops = share};
  return std::sqrt(ratio_of(from, to, arithmetic) * from.byte_s / to.byte_s);
}

std::optional<Rates> specified_rates(const Device& device, std::string_view precision,
                                     const std::vector<Device>& database) {
  const auto& bandwidth = device.figures.bandwidth_gb_s;
  const bool only_convolutions = contains(precision, "tf32-conv") && !contains(precision, "tf32-m");
  Rates rates{.byte_s = bandwidth.value * giga};
  for (auto [kind, flop_s] :
       {std::pair(only_convolutions ? "fp32" : precision, &rates.product_flop_s),
        std::pair(precision, &rates.convolution_flop_s)}) {
    auto peak = peak_for(device, kind);
    if (!peak.tflops.known() && is_16_bit(kind)) {
      rates.assumed = true;
      const double times = times_fp32(device.architecture, kind, database);
      kind = times > 0 ? kind : "fp32";
      peak = {std::string(kind), {device.figures.fp32_tflops.value * std::max(times, 1.0)}};
    }
    *flop_s = peak.tflops.value * tera * issue_share(device, kind) * power_derate(device, database);
    rates.arithmetic = peak.precision;
  }
  return rates.product_flop_s > 0 && rates.convolution_flop_s > 0 && bandwidth.known()
             ? std::optional(rates)
             : std::nullopt;
}

std::optional<Rates> achieved_rates(const Device& device, std::string_view precision) {
  const auto figures = achieved_figures(device, precision);
  const auto& product = device.figures.*figures.product;
  const auto& bandwidth = device.figures.achieved_bandwidth_gb_s;
  if (!product.known() || !bandwidth.known()) {
    return std::nullopt;
  }
  return Rates{.product_flop_s = product.value * tera,
               .convolution_flop_s = (device.figures.*figures.convolution).value * tera,
               .byte_s = bandwidth.value * giga};
}

void agree_on_convolutions(Rates& a, Rates& b) {
  if (a.convolution_flop_s == 0 || b.convolution_flop_s == 0) {
    a.convolution_flop_s = a.product_flop_s;
    b.convolution_flop_s = b.product_flop_s;
  }
}

double power_derate(const Device& device, const std::vector<Device>& database) {
  std::vector<double> others;
  for (const auto& other : database) {
    if (other.name != device.name && !device.architecture.empty() &&
        other.architecture == device.architecture && watts_per_tflops(other) > 0) {
      others.push_back(watts_per_tflops(other));
    }
  }
  if (others.empty() || watts_per_tflops(device) == 0) {
    return 1;
  }
  return std::min(1.0, std::sqrt(watts_per_tflops(device) / median_of(others)));
}

double fp32_lanes(const Device& device) {
  const auto* chip = chip_of(device);
  return chip == nullptr ? 0 : chip->results;
}

double years_between(const Device& a, const Rates& rates_a, const Device& b, const Rates& rates_b) {
  constexpr double unknown = 4;
  constexpr double of_arithmetic = 2;
  constexpr double of_makers = 4;
  constexpr double of_assumption = 4;
  const auto* chip_a = chip_of(a);
  const auto* chip_b = chip_of(b);
  const bool known = chip_a != nullptr && chip_b != nullptr;
  double years = known ? std::abs(chip_a->year - chip_b->year) : unknown;
  years += (rates_a.arithmetic == "fp32") == (rates_b.arithmetic == "fp32") ? 0 : of_arithmetic;
  years += a.architecture.starts_with("sm_") == b.architecture.starts_with("sm_") ? 0 : of_makers;
  return years + of_assumption * ((rates_a.assumed ? 1 : 0) + (rates_b.assumed ? 1 : 0));
}

double issue_share(const Device& device, std::string_view precision) {
  const auto* chip = chip_of(device);
  if (chip == nullptr || peak_for(device, precision).precision != "fp32") {
    return 1;
  }
  const double at_peak = 1 / chip->results;  // clocks an operation
  const double issued = (1 / chip->results_an_instruction + others_each) / chip->slots;
  return at_peak / std::max(at_peak, issued);
}

}  // namespace epochcast::device
