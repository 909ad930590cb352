// How records leave as files for other programs, and the registry of exporters
// (analysis/export/exporters/).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"

namespace epochcast::analysis {

/// A file to write: its name and all of its text.
struct ExportedFile {
  std::string name;
  std::string text;
};

struct ExporterSpec {
  std::string summary;
  std::function<std::vector<ExportedFile>(const std::vector<LoadedRecord>&)> make;
  /// Whether it exports times to forecast from: not those of a run that others disturbed, where
  /// there are undisturbed repeats of it.
  bool leaves_disturbed_out = false;
};

namespace exporters {
const std::map<std::string, ExporterSpec>& all();
}

}  // namespace epochcast::analysis
