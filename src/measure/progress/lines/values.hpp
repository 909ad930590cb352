// The values in a line: names with numbers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {

/// A value with the unit after it: "93%", "1.2GB"; a duration, if its name or unit is one of a
/// time.
struct Measured {
  NamedValue named;
  std::string_view unit = {};
  std::optional<double> duration_s = {};
  bool whole = false;  ///< Written without decimals.
  std::string_view section =
      {};  ///< "val" of "val: loss 0.5", which stands in the name where it must.
};
/// The pairs of a text such as "loss: 0.41 | acc=93.2%  took 3m 48s": a name and a finite number.
/// Separators are : and =, or one space if `bare` and the text is no sentence ("lr falls from 0.1
/// to 0.01"), which a comma or bar ends. "nan", "inf" and "None" are values that are left out.
std::vector<Measured> measured_values(std::string_view text, bool bare);
/// Those of them without a unit, or with %.
std::vector<NamedValue> named_values(std::string_view text, bool bare);

}  // namespace epochcast::progress
