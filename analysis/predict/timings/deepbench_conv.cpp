// DeepBench's convolutions, one row a device and layer with the times of the three passes of a
// training, FP32. Each pass is a workload of its own.
#include <fmt/format.h>

#include <cmath>

#include "analysis/predict/device_times.hpp"

namespace epochcast::analysis::timings {
namespace deepbench_conv_timing {

constexpr double bytes_of_fp32 = 4;

const std::vector<std::string>& shape_columns() {
  static const std::vector<std::string> columns{
      "w", "h", "c", "n", "k", "filter_w", "filter_h", "pad_w", "pad_h", "stride_w", "stride_h"};
  return columns;
}

struct Layer {
  std::string name;
  device::CountedWork
      pass;  ///< Each of the three passes meets every tap of a filter once an output.
};

/// std::nullopt if a cell is not a number; only padding may be 0.
std::optional<Layer> layer_of(const CsvFile& file, std::size_t row, ExcludedRows& excluded) {
  std::map<std::string, double> at;
  Layer layer{.name = "conv"};
  for (const auto& column : shape_columns()) {
    const auto value = file.number(row, column);
    if (!value || *value < 0 || (*value == 0 && !column.starts_with("pad"))) {
      excluded.add(file.place(row), fmt::format("{}: found '{}', expected a number above 0", column,
                                                file.text(row, column)));
      return std::nullopt;
    }
    at[column] = *value;
    layer.name += fmt::format(" {}{}", column, *value);
  }
  const auto outputs = [&](const std::string& axis) {
    return std::floor((at[axis] + 2 * at["pad_" + axis] - at["filter_" + axis]) /
                      at["stride_" + axis]) +
           1;
  };
  const double filters = at["k"] * at["c"] * at["filter_w"] * at["filter_h"];
  const double out = at["n"] * outputs("w") * outputs("h");
  layer.pass.flops = 2 * out * filters;
  layer.pass.convolution_flops = layer.pass.flops;
  layer.pass.bytes =
      bytes_of_fp32 * (at["n"] * at["c"] * at["w"] * at["h"] + filters + out * at["k"]);
  return layer;
}

std::vector<Timing> read(const CsvFile& file, ExcludedRows& excluded) {
  std::vector<Timing> rows;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto layer = layer_of(file, row, excluded);
    if (!layer) {
      continue;
    }
    for (const std::string pass : {"forward", "wrt_inputs", "wrt_parameters"}) {
      if (const auto time_ms = positive(file, row, pass + "_ms", excluded)) {
        auto& timing = rows.emplace_back();
        timing.device = file.text(row, "device");
        timing.measured.workload = layer->name + " " + pass;
        timing.measured.kind = pass;
        timing.measured.precision = "fp32";
        timing.measured.single_operator = true;
        timing.measured.work = layer->pass;
        timing.measured.time_s = *time_ms / 1000;
      }
    }
  }
  return rows;
}

}  // namespace deepbench_conv_timing

TimingFormat deepbench_conv() {
  auto columns = deepbench_conv_timing::shape_columns();
  columns.insert(columns.end(), {"device", "forward_ms", "wrt_inputs_ms", "wrt_parameters_ms"});
  return {.summary = "device,w,h,c,n,k,filter_*,pad_*,stride_*,forward_ms,wrt_*_ms (DeepBench)",
          .columns = columns,
          .origin = "DeepBench",
          .read = deepbench_conv_timing::read};
}

}  // namespace epochcast::analysis::timings
