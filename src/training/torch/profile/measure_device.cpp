#include "src/training/torch/profile/measure_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/statistics.hpp"
#include "src/measure/attempt/gpu.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/base/precision.hpp"
#include "src/training/torch/base/torch.hpp"
#include "src/training/torch/kernels/linear.hpp"
#include "src/training/torch/network/about.hpp"

namespace epochcast::libtorch {
namespace {

std::vector<int> wake_thread_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(most);
  return counts;
}

/// Seconds of the operator on so many threads: the median over bunches, which are long against the
/// clock.
double operator_s(const torch::Tensor& rows, int threads, double budget_s) {
  constexpr int bunch = 100;
  at::set_num_threads(threads);
  const SteadyClock clock;
  const auto bunch_s = [&] {
    const double start_s = clock.now_s();
    for (int i = 0; i < bunch; ++i) {
      at::native_layer_norm(rows, {rows.size(1)}, {}, {}, 1e-5);
    }
    return (clock.now_s() - start_s) / bunch;
  };
  const double end_s = clock.now_s() + budget_s;
  bunch_s();  // starts the threads
  std::vector<double> times_s{bunch_s()};
  while (clock.now_s() < end_s) {
    times_s.push_back(bunch_s());
  }
  return median_of(std::move(times_s));
}

/// Seconds by which each further thread lengthens an operator, up to `threads` threads (at least
/// 2): LibTorch wakes its threads and waits until all of them are done. A layer norm of one short
/// row for each thread is timed, which LibTorch divides by rows, however few there are; there is
/// nearly no arithmetic to divide. It runs on 1, 2, 4, ... and `threads` threads, one call right
/// after the other like the operators of a step. The result is the slope of the medians over the
/// number of further threads, by least squares through one thread; 0 if more threads take no
/// longer. Takes `budget_s` seconds and leaves LibTorch with `threads` threads.
double thread_wake_s(int threads, double budget_s) {
  const auto counts = wake_thread_counts(threads);
  const double each_s = budget_s / static_cast<double>(counts.size());
  const torch::NoGradGuard no_grad;
  const auto rows = torch::ones({threads, 8});
  const double alone_s = operator_s(rows, 1, each_s);
  double products = 0;
  double squares = 0;
  for (const int count : counts) {
    if (count > 1) {
      products += (count - 1) * (operator_s(rows, count, each_s) - alone_s);
      squares += (count - 1.0) * (count - 1.0);
    }
  }
  at::set_num_threads(threads);
  return std::max(0.0, products / squares);
}

using torch::Tensor;

/// One precision of the device, and where its rates are in the device database.
struct MeasuredPrecision {
  torch::ScalarType type;
  bool tf32;
  device::Figure device::DeviceFigures::*product;
  device::Figure device::DeviceFigures::*convolution;
};

std::vector<MeasuredPrecision> precisions_of(const torch::Device& device) {
  using F = device::DeviceFigures;
  std::vector<MeasuredPrecision> precisions{
      {torch::kFloat, false, &F::achieved_fp32_tflops, &F::achieved_conv_fp32_tflops},
      {torch::kBFloat16, false, &F::achieved_bf16_tflops, &F::achieved_conv_bf16_tflops}};
  if (device.is_cuda()) {
    precisions.push_back(
        {torch::kFloat, true, &F::achieved_tf32_tflops, &F::achieved_conv_tf32_tflops});
    precisions.push_back(
        {torch::kHalf, false, &F::achieved_fp16_tflops, &F::achieved_conv_fp16_tflops});
  }
  return precisions;
}

/// A piece of work that can be made larger: what it does (FLOP or bytes) and how.
struct Trial {
  double amount;
  std::function<void()> run;
};
using MakeTrial = std::function<Trial(std::int64_t scale)>;

/// Measurements are not good for more than four digits.
double rounded(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

class Stopwatch {
 public:
  Stopwatch(const torch::Device& device, double budget_s) : device_(device), budget_s_(budget_s) {}

  /// Amount a second, median of repeats. The work is doubled until one repeat is long against its
  /// launching and against the clock; the doublings warm the device up.
  double rate(const MakeTrial& make, std::int64_t largest_scale) const {
    const double end_s = clock_.now_s() + budget_s_;
    std::int64_t scale = 1;
    auto probe = make(scale);
    time_s(probe);  // allocates, and lets libraries choose their kernels
    double once_s = time_s(probe);
    while (scale < largest_scale && once_s < budget_s_ / 25) {
      scale *= 2;
      probe = make(scale);
      time_s(probe);
      once_s = time_s(probe);
    }
    const int runs = device_.is_cuda() && once_s < 0.01 ? 10 : 1;  // a synchronization takes 10 us
    std::vector<double> times{once_s};
    while (clock_.now_s() < end_s) {
      times.push_back(time_s(probe, runs));
    }
    std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
    return probe.amount / times[times.size() / 2];
  }

 private:
  /// Of one of `runs` without a synchronization between them.
  double time_s(const Trial& probe, int runs = 1) const {
    const double start_s = clock_.now_s();
    for (int i = 0; i < runs; ++i) {
      probe.run();
    }
    if (device_.is_cuda()) {
      torch::cuda::synchronize(device_.index());
    }
    return (clock_.now_s() - start_s) / runs;
  }

  SteadyClock clock_;
  torch::Device device_;
  double budget_s_;
};

/// Square matrices of 256 columns and up, by the library that trains; 2 n^3 FLOP.
MakeTrial product_probe(const torch::TensorOptions& options) {
  return [=](std::int64_t scale) {
    const std::int64_t n = 256 * scale;
    const auto a = torch::randn({n, n}, options);
    const auto b = torch::randn({n, n}, options);
    return Trial{2.0 * double(n) * double(n) * double(n), [=] { product(a, b); }};
  };
}

/// A middle layer of an image classifier (128 channels, 28 x 28, filters of 3 x 3) as it is
/// trained: forward and the gradients of input and filters, each 2 FLOP a multiply-add of the
/// direct method. On a GPU in the layout in which the optimized procedure trains there.
MakeTrial convolution_probe(const torch::TensorOptions& options) {
  return [=](std::int64_t scale) {
    constexpr std::int64_t channels = 128;
    constexpr std::int64_t side = 28;
    const std::int64_t batch = scale;
    const auto precision = options.dtype() == torch::kHalf ? Precision::fp16 : Precision::fp32;
    const bool channels_last =
        options.device().is_cuda() && prefers_channels_last(precision, options.device());
    const auto layout =
        channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    const auto x = torch::randn({batch, channels, side, side}, options).contiguous(layout);
    const auto w = torch::randn({channels, channels, 3, 3}, options).contiguous(layout);
    const auto run = [=] {
      const auto y = at::conv2d(x, w, {}, 1, 1);
      at::convolution_backward(y, x, w, at::OptionalIntArrayRef(), {1, 1}, {1, 1}, {1, 1}, false,
                               {0, 0}, 1, {true, true, false});
    };
    const double pass = 2.0 * double(batch * channels * side * side) * double(channels * 9);
    return Trial{3 * pass, run};
  };
}

/// Copies of 64 MB and up, far beyond any cache; read and written bytes count.
MakeTrial copy_probe(const torch::TensorOptions& options) {
  return [=](std::int64_t scale) {
    const std::int64_t bytes = 64'000'000 * scale;
    const auto from = torch::ones({bytes}, options.dtype(torch::kByte));
    auto to = torch::empty_like(from);
    return Trial{2.0 * double(bytes), [=]() mutable { to.copy_(from); }};
  };
}

void allow_tf32(bool yes) {
  at::globalContext().setAllowTF32CuBLAS(yes);
  at::globalContext().setAllowTF32CuDNN(yes);
}

/// `threads` are those of a CPU, 0 for a GPU. `origin` states where the rates come from and whether
/// they are reliable.
void measure_rates(device::DeviceFigures& figures, const torch::Device& device, int threads,
                   double budget_s, const device::Figure& origin) {
  const auto precisions = precisions_of(device);
  const double each_s = budget_s / double(2 * precisions.size() + (threads > 1 ? 2 : 1));
  const Stopwatch watch(device, each_s);
  const auto measure = [&](device::Figure& figure, const MakeTrial& probe, std::int64_t largest,
                           double unit) {
    try {
      figure = {rounded(watch.rate(probe, largest) / unit), origin.source, origin.checked};
    } catch (const c10::Error&) {
      figure = {};  // the device does not compute in this precision
    }
  };
  at::globalContext().setBenchmarkCuDNN(true);  // as in a training
  const torch::NoGradGuard no_grad;
  const torch::TensorOptions options(device);
  if (threads > 1) {
    figures.thread_wake_us = {rounded(1e6 * thread_wake_s(threads, each_s)), origin.source,
                              origin.checked};
  }
  measure(figures.achieved_bandwidth_gb_s, copy_probe(options), 16, 1e9);
  for (const auto& precision : precisions) {
    allow_tf32(precision.tf32);
    const auto typed = options.dtype(precision.type);
    measure(figures.*precision.product, product_probe(typed), 32, 1e12);
    measure(figures.*precision.convolution, convolution_probe(typed), 256, 1e12);
  }
}

/// Whose rates these are, doubtful where others kept the CPUs busy.
device::Figure origin_of(const MeasureOptions& options, const record::Machine& machine) {
  device::Figure origin{.source = fmt::format("epochcast-train measure-device, {}, {}", iso8601(),
                                              library_versions())};
  const bool busy =
      machine.load_1min + double(options.threads) > double(machine.hardware_threads) + 0.5;
  if (options.device == "cpu" && busy) {
    origin.source += fmt::format(", on a busy machine (load {:.1f} at the start, {} CPUs)",
                                 machine.load_1min, machine.hardware_threads);
    origin.checked = false;
  }
  return origin;
}

void describe_cpu(device::Device& device, const record::Machine& machine, std::int64_t threads) {
  device.label = fmt::format("{}, {} threads", machine.cpu_model.view(), threads);
  device.names = {machine.cpu_model.str()};
}

void describe_gpu(device::Device& device, const std::string& source) {
  const auto gpus = attempt::read_gpus();
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto* gpu = attempt::first_visible(gpus, visible == nullptr ? "" : visible);
  if (gpu == nullptr) {
    throw RunError("device cuda: NVML does not list the GPU, so its name is not known");
  }
  device.label = gpu->name;
  device.names = {gpu->name.starts_with("NVIDIA ") ? gpu->name.substr(7) : gpu->name};
  device.architecture = gpu->architecture;
  device.memory_sizes_gb = {std::round(double(gpu->memory_bytes) / 1e9)};
  device.figures.memory_gb = {device.memory_sizes_gb.front(), source};
  device.figures.boost_clock_mhz = {gpu->clock_mhz, source};
  device.figures.tdp_w = {gpu->power_limit_w, source};
}

}  // namespace

device::Device measure_device(const MeasureOptions& options) {
  set_threads(static_cast<int>(options.threads));
  keep_freed_memory();
  const auto torch_device = open_device(options.device);
  const auto machine = attempt::read_machine();
  const auto origin = origin_of(options, machine);
  device::Device device{.name = "measured"};
  if (torch_device.is_cuda()) {
    describe_gpu(device, "the driver, " + iso8601());
  } else {
    describe_cpu(device, machine, options.threads);
  }
  const int threads = torch_device.is_cuda() ? 0 : static_cast<int>(options.threads);
  guarded(
      [&] { measure_rates(device.figures, torch_device, threads, options.budget.value, origin); });
  return device;
}

}  // namespace epochcast::libtorch
