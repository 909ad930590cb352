#include "src/measure/operators/roofline.hpp"

#include <algorithm>

namespace epochcast::operators {

std::string_view to_text(Limit limit) {
  switch (limit) {
    case Limit::arithmetic:
      return "arithmetic";
    case Limit::memory:
      return "memory";
    case Limit::neither:
      break;
  }
  return "neither";
}

OnRoof on_roof(const record::Operator& row, const Roof& roof) {
  constexpr double near = 0.1;
  const double convolution_flop_s =
      roof.convolution_flop_s > 0 ? roof.convolution_flop_s : roof.product_flop_s;
  const double arithmetic_s = (row.flops - row.convolution_flops) / roof.product_flop_s +
                              row.convolution_flops / convolution_flop_s;
  const double memory_s = row.bytes / roof.byte_s;
  OnRoof placed{.flop_s = row.flops / row.work_s,
                .byte_s = row.bytes / row.work_s,
                .least_s = std::max(arithmetic_s, memory_s)};
  if (placed.least_s >= near * row.work_s) {
    placed.limit = arithmetic_s > memory_s ? Limit::arithmetic : Limit::memory;
  }
  return placed;
}

}  // namespace epochcast::operators
