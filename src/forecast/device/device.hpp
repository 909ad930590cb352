// Devices and their datasheet figures. The device database is src/forecast/device/database/, with
// one YAML file per device. Each figure has its source, and whether that source was read again for
// the device database. Rates are dense (no sparsity).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/fields.hpp"

namespace epochcast::device {

/// A number with its source.
struct Figure {
  double value = 0;  ///< 0: not known, or the device lacks this feature.
  std::string source = {};
  bool checked = true;  ///< false: from memory or in doubt; check before relying on it.
  bool known() const { return value > 0; }
};

struct DeviceFigures {
  Figure fp64_tflops;
  Figure fp64_tensor_tflops;
  Figure fp32_tflops;
  Figure fp32_matrix_tflops;
  Figure tf32_tflops;
  Figure fp16_tflops;
  Figure fp16_tensor_tflops;
  Figure bf16_tensor_tflops;
  Figure bandwidth_gb_s;
  Figure memory_gb;
  Figure multiprocessors;
  Figure l2_mb;
  Figure boost_clock_mhz;
  Figure tdp_w;
  Figure achieved_fp32_tflops;
  Figure achieved_tf32_tflops;
  Figure achieved_fp16_tflops;
  Figure achieved_bf16_tflops;
  Figure achieved_conv_fp32_tflops;
  Figure achieved_conv_tf32_tflops;
  Figure achieved_conv_fp16_tflops;
  Figure achieved_conv_bf16_tflops;
  Figure achieved_bandwidth_gb_s;
  Figure thread_wake_us;
};

constexpr auto fields_of(Tag<DeviceFigures>) {
  return FieldTable{
      Field{"fp64_tflops", "TFLOPS", "Double precision", &DeviceFigures::fp64_tflops},
      Field{"fp64_tensor_tflops", "TFLOPS", "Double precision on tensor or matrix cores",
            &DeviceFigures::fp64_tensor_tflops},
      Field{"fp32_tflops", "TFLOPS", "Single precision", &DeviceFigures::fp32_tflops},
      Field{"fp32_matrix_tflops", "TFLOPS", "Single precision on matrix cores",
            &DeviceFigures::fp32_matrix_tflops},
      Field{"tf32_tflops", "TFLOPS", "TensorFloat-32 on tensor cores", &DeviceFigures::tf32_tflops},
      Field{"fp16_tflops", "TFLOPS", "Half precision without tensor cores",
            &DeviceFigures::fp16_tflops},
      Field{"fp16_tensor_tflops", "TFLOPS", "Half precision on tensor cores",
            &DeviceFigures::fp16_tensor_tflops},
      Field{"bf16_tensor_tflops", "TFLOPS", "bfloat16 on tensor cores",
            &DeviceFigures::bf16_tensor_tflops},
      Field{"bandwidth_gb_s", "GB/s", "Memory bandwidth", &DeviceFigures::bandwidth_gb_s},
      Field{"memory_gb", "GB", "Memory", &DeviceFigures::memory_gb},
      Field{"multiprocessors", "1", "Streaming multiprocessors or compute units",
            &DeviceFigures::multiprocessors},
      Field{"l2_mb", "MB", "Level-2 cache", &DeviceFigures::l2_mb},
      Field{"boost_clock_mhz", "MHz", "Boost clock", &DeviceFigures::boost_clock_mhz},
      Field{"tdp_w", "W", "Power limit as sold", &DeviceFigures::tdp_w},
      Field{"achieved_fp32_tflops", "TFLOPS", "Single precision as measured on matrix products",
            &DeviceFigures::achieved_fp32_tflops},
      Field{"achieved_tf32_tflops", "TFLOPS", "TensorFloat-32 as measured on matrix products",
            &DeviceFigures::achieved_tf32_tflops},
      Field{"achieved_fp16_tflops", "TFLOPS", "Half precision as measured on matrix products",
            &DeviceFigures::achieved_fp16_tflops},
      Field{"achieved_bf16_tflops", "TFLOPS", "bfloat16 as measured on matrix products",
            &DeviceFigures::achieved_bf16_tflops},
      Field{
          "achieved_conv_fp32_tflops", "TFLOPS",
          "Single precision as measured on convolutions, forward and both gradients; FLOPs of the "
          "direct method",
          &DeviceFigures::achieved_conv_fp32_tflops},
      Field{"achieved_conv_tf32_tflops", "TFLOPS", "TensorFloat-32, convolutions likewise",
            &DeviceFigures::achieved_conv_tf32_tflops},
      Field{"achieved_conv_fp16_tflops", "TFLOPS", "Half precision, convolutions likewise",
            &DeviceFigures::achieved_conv_fp16_tflops},
      Field{"achieved_conv_bf16_tflops", "TFLOPS", "bfloat16, convolutions likewise",
            &DeviceFigures::achieved_conv_bf16_tflops},
      Field{"achieved_bandwidth_gb_s", "GB/s", "Memory bandwidth as measured",
            &DeviceFigures::achieved_bandwidth_gb_s},
      Field{"thread_wake_us", "us",
            "Time by which each further CPU thread lengthens a parallel operator, as measured",
            &DeviceFigures::thread_wake_us},
  };
}

struct Device {
  std::string name = {};   ///< The name of its file: "v100_sxm2".
  std::string label = {};  ///< The name for output: "NVIDIA V100 SXM2".
  /// Prefixes of the name that the driver reports, without the vendor.
  std::vector<std::string> names = {};
  std::vector<std::string> types = {};       ///< Its GPU types in Slurm, as sites name them.
  std::vector<double> memory_sizes_gb = {};  ///< Memory sizes that it is sold with.
  std::string architecture = {};             ///< Its chip family: "sm_75", "gfx90a".
  /// Why this device is assumed if a name fits several; empty: it is not assumed.
  std::string assumed = {};
  DeviceFigures figures = {};
};

/// The folder of the shipped device database. Throws RunError if the installation lacks it.
std::filesystem::path device_database_folder();

/// Every device of a folder, sorted by name. Throws Error with file and line for an unknown key or
/// an invalid number.
std::vector<Device> read_device_database(const std::filesystem::path& folder);

/// Reads the device of one file; its name is the name of the file. Throws Error like
/// read_device_database.
Device read_device(const std::filesystem::path& path);

/// The device as the text of a file of the device database, which read_device can read. `heading`
/// becomes a comment on the first line.
std::string device_yaml(const Device& device, const std::string& heading);

/// The device with the name `name`. Throws Error with the nearest name if there is none.
const Device& find_device(const std::vector<Device>& database, std::string_view name);

/// The names of the figures that are not checked, in the order of the fields.
std::vector<std::string> unchecked_figures(const Device& device);

/// Whether peak_for accepts this precision: fp32, tf32, fp16, bf16 or fp64, optionally followed by
/// "+" and more ("fp32+tf32-conv"). Empty means fp32.
bool is_precision(std::string_view text);

/// Whether FP32 operators run in TF32 on the device's tensor cores: where the precision says so,
/// and where it is not stated ("") and the device is NVIDIA's of 2020 or later. There TF32 is the
/// default of TensorFlow (since 2.4) and of PyTorch up to 1.11; PyTorch from 1.12 on keeps it for
/// convolutions. "fp32" alone is FP32: the trainer records what it used.
bool uses_tf32(const Device& device, std::string_view precision);

/// The peak rate for a precision as recorded ("fp32", "fp32+tf32-conv", "bf16").
struct Peak {
  std::string precision;  ///< The figure used: "fp32".
  Figure tflops;          ///< Not known if the device has no figure for it.
};
/// Where only convolutions use TF32 this is its rate too: in the networks for which that mode is
/// recorded, they do most of the work.
Peak peak_for(const Device& device, std::string_view precision);

}  // namespace epochcast::device
