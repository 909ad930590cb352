// The two ways to do the same step.
#pragma once

namespace epochcast {

/// How a step is done: `lab` in the published code's own order of work, waits included; `fast` the
/// same numbers to rounding, without the waste.
enum class Procedure { lab, fast };

}  // namespace epochcast
