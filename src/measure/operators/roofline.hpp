// Which limit of a device an operator is near: its arithmetic or its memory (the roofline model,
// Williams, Waterman and Patterson 2009).
#pragma once

#include <string_view>

#include "src/record/operator_rows.hpp"

namespace epochcast::operators {

/// What a device achieves, a second.
struct Roof {
  double product_flop_s = 0;
  double convolution_flop_s = 0;  ///< 0: as product_flop_s.
  double byte_s = 0;
};

enum class Limit {
  arithmetic,  ///< The counted FLOP take longer at the roof than the counted bytes.
  memory,      ///< The bytes take longer.
  neither      ///< Both would take less than a tenth of the time that was measured.
};
std::string_view to_text(Limit limit);

struct OnRoof {
  double flop_s = 0;   ///< Achieved.
  double byte_s = 0;   ///< Achieved; above the roof if the data is in a cache.
  double least_s = 0;  ///< The longer of arithmetic and memory at the roof.
  Limit limit = Limit::neither;
};

/// `row` must have counted work and work_s > 0.
OnRoof on_roof(const record::Operator& row, const Roof& roof);

}  // namespace epochcast::operators
