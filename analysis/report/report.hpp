// The report: one page that explains what ran, for a reader without the records.
#pragma once

#include <string>

#include "analysis/report/report_input.hpp"

namespace epochcast::analysis {

/// When and by what a report was made, given so that tests can hold it still.
struct ReportStamp {
  std::string title;    ///< Empty: made of the experiments of the records.
  std::string made_at;  ///< ISO 8601.
  std::string made_by;  ///< "Epochcast 0.1.0 (a1b2c3d)".
};

/// The whole file: every section of analysis/sections/ that has something to say.
std::string report_page(const ReportInput& input, const ReportStamp& stamp);

}  // namespace epochcast::analysis
