// Files of metrics that a program writes anyway, followed while they grow (--metrics PATH).
#pragma once

#include <memory>
#include <string>

#include "src/measure/progress/sources/events.hpp"
#include "src/measure/progress/sources/source.hpp"

namespace epochcast::progress::sources {

/// `path` is a file, or a folder in which such files are looked for, also below it; it may come
/// later. The formats are those of metric_spec.hpp, known by their content. What was in the files
/// before now is left out.
std::unique_ptr<Source> follow_metrics(const std::string& path, const ClockZero& zero);

/// The metrics of a file or folder of a former run; times count from the first value. Throws Error
/// if there is none of a known format that holds times.
StoredReadings read_metrics(const std::string& path);

}  // namespace epochcast::progress::sources
