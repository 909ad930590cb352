// Times of workloads on devices as others measured them, and the registry of the files they come
// in (analysis/predict/timings/, one file a format).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"
#include "src/forecast/device/ratio.hpp"

namespace epochcast::analysis {

struct Timing {
  device::MeasuredWork measured;
  std::string device;  ///< As the file calls it.
};

struct TimingFormat {
  std::string summary;
  std::vector<std::string> columns;  ///< All of them make the file one of this format.
  /// Who measured it; rates of the device database that name it come from there.
  std::string origin = {};
  std::vector<Timing> (*read)(const CsvFile& file, ExcludedRows& excluded);
};

namespace timings {
const std::map<std::string, TimingFormat>& all();
}

/// The format of a file: the one with the most columns, all of which the file has. Throws Error
/// with the columns of a plain file if there is none.
const TimingFormat& timing_format_of(const CsvFile& file);

/// The columns of every format, for the help.
std::string timing_columns();

}  // namespace epochcast::analysis
