#include "src/forecast/device/rates.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/median.hpp"
#include "src/forecast/device/issue_share.hpp"

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
  const bool all = precision == "tf32";
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

}  // namespace

double time_at_s(const Rates& rates, const CountedWork& work) {
  return (work.flops - work.convolution_flops) / rates.product_flop_s +
         work.convolution_flops / rates.convolution_flop_s + work.bytes / rates.byte_s;
}

double ratio_of(const Rates& from, const Rates& to, const CountedWork& work) {
  if (work.whole()) {
    return time_at_s(to, work) / time_at_s(from, work);
  }
  const bool convolutions = work.convolution_flops > 0;
  const double arithmetic = convolutions ? from.convolution_flop_s / to.convolution_flop_s
                                         : from.product_flop_s / to.product_flop_s;
  return std::sqrt(arithmetic * from.byte_s / to.byte_s);
}

std::optional<Rates> specified_rates(const Device& device, std::string_view precision,
                                     const std::vector<Device>& database) {
  const auto peak = peak_for(device, precision).tflops;
  const auto& bandwidth = device.figures.bandwidth_gb_s;
  if (!peak.known() || !bandwidth.known()) {
    return std::nullopt;
  }
  const double flop_s =
      peak.value * tera * issue_share(device, precision) * power_derate(device, database);
  return Rates{flop_s, flop_s, bandwidth.value * giga};
}

std::optional<Rates> achieved_rates(const Device& device, std::string_view precision) {
  const auto figures = achieved_figures(device, precision);
  const auto& product = device.figures.*figures.product;
  const auto& bandwidth = device.figures.achieved_bandwidth_gb_s;
  if (!product.known() || !bandwidth.known()) {
    return std::nullopt;
  }
  return Rates{product.value * tera, (device.figures.*figures.convolution).value * tera,
               bandwidth.value * giga};
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

}  // namespace epochcast::device
