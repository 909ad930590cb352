// The registry of the sections of a report (analysis/sections/, one file each).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "analysis/report/report_input.hpp"

namespace epochcast::analysis {

struct SectionSpec {
  int place = 0;  ///< Sections stand in this order.
  std::string heading;
  /// HTML below the heading; headings in it begin at h3, ids with the name of the section. Text of
  /// records goes through html::escaped. Empty: the section is left out.
  std::function<std::string(const ReportInput&)> make;
};

namespace sections {
const std::map<std::string, SectionSpec>& all();
}

}  // namespace epochcast::analysis
