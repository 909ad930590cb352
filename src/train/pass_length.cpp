#include "src/train/pass_length.hpp"

namespace epochcast::train {

std::int64_t samples_of_pass(const run::RunConfig& config, std::int64_t size) {
  return config.last_batch == "drop" ? size - size % config.batch : size;
}

std::int64_t samples_of_training(const run::RunConfig& config, std::int64_t size) {
  const auto samples = samples_of_pass(config, size);
  const auto batches = (samples + config.batch - 1) / config.batch;
  const auto rest = batches % config.accumulate;
  return config.last_update == "drop" && rest > 0 ? (batches - rest) * config.batch : samples;
}

}  // namespace epochcast::train
