#include "analysis/predict/schedule_asked.hpp"

#include <string>

#include "src/base/core/error.hpp"

namespace epochcast::analysis {

const std::vector<cli::Option>& schedule_options() {
  static const std::vector<cli::Option> options{
      {"eval-every", "N",
       "Samples, steps or epochs (as the run's length is given) between two evaluations that are "
       "in no epoch's or block's time (default: as recorded, else as seen)"},
      {"eval-from", "N", "Work before the first of them (default: as --eval-every)"},
      {"checkpoint-every", "N", "The same of checkpoints"},
      {"stops-at-target", "",
       "The run stops when it reaches a target, at any point of its last epoch (default: as "
       "recorded)"}};
  return options;
}

std::vector<forecast::Schedule> schedules_asked(const cli::Arguments& arguments) {
  const auto number = [&](const std::string& name, double otherwise) {
    if (arguments.has(name)) {
      cli::read_option(arguments, name, otherwise, ">0");
    }
    return otherwise;
  };
  if (arguments.has("eval-from") && !arguments.has("eval-every")) {
    throw Error("--eval-from: goes with --eval-every");
  }
  std::vector<forecast::Schedule> schedules;
  if (const double every = number("eval-every", 0); every > 0) {
    schedules.push_back({.first = number("eval-from", every), .every = every});
  }
  if (const double every = number("checkpoint-every", 0); every > 0) {
    schedules.push_back({.first = every, .every = every, .unseen = forecast::unseen_checkpoint});
  }
  return schedules;
}

}  // namespace epochcast::analysis
