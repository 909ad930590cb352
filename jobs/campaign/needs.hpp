// What the programs of an output folder need before they start, as OUT/needs.csv keeps it for
// `check`: the experiment is not read again.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

struct Need {
  enum class Kind { program, folder, input, variable };
  Kind kind = Kind::input;
  /// A path, absolute; a program that PATH is searched for; the name of an environment variable.
  std::string what;
  std::string allocation;  ///< Of the first point that needs it there.
  std::string point;       ///< That point.

  bool operator==(const Need&) const = default;
};

/// Each need once per allocation; none for points of epochcast-train.
std::vector<Need> needs_of(const std::vector<Point>& points, const std::string& out);

/// OUT/needs.csv: kind,what,allocation,point.
std::string needs_text(const std::vector<Need>& needs);

/// Those of an output folder; none if it has no such file. Throws Error for a damaged one.
std::vector<Need> read_needs(const OutFolder& out);

}  // namespace epochcast::jobs
