// Times in Slurm's notation.
#pragma once

#include <optional>
#include <string_view>

namespace epochcast::slurm {

/// The seconds of a time as Slurm's commands print it and sbatch reads it: "m", "m:s", "h:m:s",
/// "d-h", "d-h:m" and "d-h:m:s" (sbatch(1), --time: a single number is minutes). Infinity for
/// "UNLIMITED" and "infinite"; std::nullopt for any other text ("INVALID", "NOT_SET").
std::optional<double> parse_time_s(std::string_view text);

}  // namespace epochcast::slurm
