#include "analysis/predict/timing.hpp"

#include <algorithm>

#include "src/base/core/text.hpp"

namespace epochcast::analysis {

const TimingFormat& timing_format_of(const CsvFile& file) {
  const TimingFormat* best = nullptr;
  for (const auto& [name, format] : timings::all()) {
    const bool fits = std::all_of(format.columns.begin(), format.columns.end(),
                                  [&](const std::string& column) { return file.has(column); });
    if (fits && (best == nullptr || format.columns.size() > best->columns.size())) {
      best = &format;
    }
  }
  if (best == nullptr) {
    file.require(timings::all().at("plain").columns);  // names what is missing
  }
  return *best;
}

std::string timing_columns() {
  std::vector<std::string> texts;
  for (const auto& [name, format] : timings::all()) {
    texts.push_back(format.summary);
  }
  return join(texts, "; or ");
}

}  // namespace epochcast::analysis
