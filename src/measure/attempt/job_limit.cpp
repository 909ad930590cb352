#include "src/measure/attempt/job_limit.hpp"

#include <cmath>
#include <ctime>

#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"
#include "src/record/run/checkpoint_lead.hpp"

namespace epochcast::attempt {

std::optional<double> job_end_s(const record::Record& start, const slurm::Environment& environment,
                                double now_s) {
  if (const auto end = parse_integer(slurm::variable(environment, "SLURM_JOB_END_TIME"))) {
    return now_s + static_cast<double>(*end - std::time(nullptr));
  }
  const auto limit_s = record::time_limit_s(start);
  return limit_s && std::isfinite(*limit_s)
             ? std::optional(*limit_s - record::before_program_s(start))
             : std::nullopt;
}

double JobLimit::usable_s() const {
  return *end_s - run::checkpoint_lead_s(options.limit_lead.value, *end_s);
}

}  // namespace epochcast::attempt
