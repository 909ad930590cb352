#include "src/torch/schedule.hpp"

namespace epochcast {

std::int64_t samples_of_pass(const RunConfig& config, std::int64_t size) {
  return config.last_batch == "drop" ? size - size % config.batch : size;
}

std::int64_t samples_of_training(const RunConfig& config, std::int64_t size) {
  const auto samples = samples_of_pass(config, size);
  const auto batches = (samples + config.batch - 1) / config.batch;
  const auto rest = batches % config.accumulate;
  return config.last_update == "drop" && rest > 0 ? (batches - rest) * config.batch : samples;
}

double warmup_factor(const RunConfig& config, std::int64_t epoch, std::int64_t processes) {
  if (epoch >= config.warmup_epochs) {
    return 1;
  }
  const double start = 1 / double(processes);
  return start + (1 - start) * double(epoch) / double(config.warmup_epochs);
}

}  // namespace epochcast
