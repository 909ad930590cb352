// What the datasheets say of a device: the device database is src/device/database/, one YAML file a
// device, each figure with its source and whether that source was read again for the device
// database. Rates are dense (no sparsity).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/fields.hpp"

namespace epochcast::device {

/// A number with where it comes from.
struct Figure {
  double value = 0;  ///< 0: not known, or the device has no such thing.
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
};

constexpr auto fields_of(Tag<DeviceFigures>) {
  return std::tuple{
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
  };
}

struct Device {
  std::string name = {};   ///< Its file's: "v100_sxm2".
  std::string label = {};  ///< For people: "NVIDIA V100 SXM2".
  /// Beginnings of what the driver calls it, without the maker.
  std::vector<std::string> names = {};
  std::vector<std::string> types = {};       ///< What sites call it as a GPU type of Slurm.
  std::vector<double> memory_sizes_gb = {};  ///< Sizes it is sold with.
  std::string architecture = {};  ///< What its family of chips is called: "sm_75", "gfx90a".
  std::string assumed = {};  ///< Why this one is meant where a name fits several; empty: it is not.
  DeviceFigures figures = {};
};

/// The shipped device database's folder. Throws RunError if the installation lacks it.
std::filesystem::path device_database_folder();

/// Every device of a folder, by name. Throws Error with file and line: unknown key, number without
/// sense.
std::vector<Device> read_device_database(const std::filesystem::path& folder);

/// The device of one file, named as the file is. Throws Error as read_device_database does.
Device read_device(const std::filesystem::path& path);

/// The device as text of a database's file, which read_device reads back; `heading` becomes a
/// comment on its first line.
std::string device_yaml(const Device& device, const std::string& heading);

/// The device called `name`. Throws Error with the nearest name.
const Device& find_device(const std::vector<Device>& database, std::string_view name);

/// Names of the figures that are not checked, in the order of the fields.
std::vector<std::string> unchecked_figures(const Device& device);

/// Whether peak_for knows what is meant: fp32, tf32, fp16, bf16, fp64 or one of them with more
/// behind it ("fp32+tf32-conv"); empty means fp32.
bool is_precision(std::string_view text);

/// The peak rate that holds for a precision as a record writes it ("fp32", "fp32+tf32-conv",
/// "bf16").
struct Peak {
  std::string precision;  ///< The figure used: "fp32".
  Figure tflops;          ///< Not known: the device has no figure for it.
};
/// "tf32" anywhere in the precision means the tensor cores where the device has them for TF32, else
/// FP32: convolutions carry the work of the networks for which that mode is recorded.
Peak peak_for(const Device& device, std::string_view precision);

}  // namespace epochcast::device
