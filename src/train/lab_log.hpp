// What the lab's program printed, letter for letter, on standard output (`procedure: lab`); `import lab-log` reads it.
#pragma once

#include <iosfwd>

#include "src/core/clock.hpp"
#include "src/run/run_config.hpp"
#include "src/train/observer.hpp"

namespace epochcast {

class LabLog : public Observer {
 public:
  /// `picture` is the shape of what the generator makes: {3, 64, 64}.
  LabLog(std::ostream& out, const RunConfig& config, const std::vector<std::int64_t>& picture, const Clock& clock);

  /// The lab read both losses after every batch.
  bool wants_losses() const override { return true; }
  void training_begins(const Work& work, const Place& from) override;
  void epoch_begins(std::int64_t epoch) override;
  void step_begins(const Place& place) override;
  void step_ends(const Iteration& row, const Metrics& losses) override;
  void training_ends() override;

 private:
  std::string losses_text() const;

  std::ostream& out_;
  const Clock& clock_;
  std::string device_;
  std::string picture_;
  std::int64_t epochs_;
  double begun_at_s_ = 0;
  double epoch_begun_at_s_ = 0;
  std::int64_t examples_ = 0;  ///< Of this epoch.
  Metrics losses_;             ///< The last ones read.
};

}  // namespace epochcast
