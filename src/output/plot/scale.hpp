// From values to places in the picture: the range of an axis, its marks, and the mapping.
#pragma once

#include <string>
#include <vector>

#include "src/output/plot/chart.hpp"

namespace epochcast::plot {

/// A mark of an axis.
struct Tick {
  double value = 0;
  std::string label;  ///< Empty: a line without a number.
};

/// How an axis runs from its low end (0) to its high end (1).
class Scale {
 public:
  /// `values`: what must be visible. `ends_at_marks`: the range is extended to round numbers.
  /// Throws std::logic_error where no value can be shown.
  Scale(Axis axis, const std::vector<double>& values, bool ends_at_marks);

  /// Whether the axis can show the value: finite, above 0 on a logarithmic axis.
  bool shows(double value) const;
  /// 0 at the low end, 1 at the high end.
  double place(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }

  /// About `most` marks at round numbers; those of Axis::marks where there are any; the categories.
  std::vector<Tick> ticks(std::size_t most) const;

 private:
  void set_linear(bool ends_at_marks);
  void set_log();
  std::vector<Tick> linear_ticks(std::size_t most) const;
  std::vector<Tick> log_ticks(std::size_t most) const;

  Axis axis_;
  double low_ = 0;
  double high_ = 0;
};

/// A round step (1, 2, 2.5 or 5 times a power of ten; 1 at least if `whole`) of which about `count`
/// fit into `range`.
double round_step(double range, std::size_t count, bool whole);

/// The value with three significant digits, as a mark's number: "462 k".
std::string short_number(double value);

/// A mark's number in little space: "0.5", "20 k", "1.5 M", "10⁻⁵".
std::string tick_label(double value);

}  // namespace epochcast::plot
