#include "jobs/live/use.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace epochcast::jobs {

Use use_of(const record::Record& record) {
  Use use;
  std::map<std::int64_t, const record::Telemetry*> last;  // by rank
  for (const auto& sample : record.telemetry) {
    if (sample.duration_s > 0 && sample.cpus > 0 && !std::isnan(sample.own_cpu_s)) {
      last[sample.rank] = &sample;
    }
  }
  double used = 0;
  double cpus = 0;
  for (const auto& [rank, sample] : last) {
    used += sample->own_cpu_s / sample->duration_s;
    cpus += double(sample->cpus);
  }
  if (cpus > 0) {
    use.cpu = used / cpus;
  }

  std::map<std::pair<std::int64_t, std::int64_t>, double> gpus;  // by rank and index
  for (const auto& sample : record.telemetry_gpus) {
    if (!std::isnan(sample.use)) {
      gpus[{sample.rank, sample.gpu}] = sample.use;
    }
  }
  double sum = 0;
  for (const auto& [gpu, share] : gpus) {
    sum += share;
  }
  if (!gpus.empty()) {
    use.gpu = sum / double(gpus.size());
  }
  return use;
}

}  // namespace epochcast::jobs
