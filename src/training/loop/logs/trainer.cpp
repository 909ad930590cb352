// The log of the fine-tuning studies: the line that transformers' Trainer (4.38 to 4.57) prints at
// the end of a training. Its time includes evaluation and checkpoints. Its loss is the mean over
// the updates of the mean losses of their batches; Trainer also reads the loss after every batch
// (logging_nan_inf_filter). Samples and steps are counted for this attempt, without the ones that
// last_update=drop omits.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "src/training/loop/published_log.hpp"
#include "src/training/loop/updates.hpp"

namespace epochcast::train::logs {
namespace trainer_log {

/// The float as Python prints it: the shortest form, and never as a whole number.
std::string python_float(double value) {
  const auto text = fmt::format("{}", value);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string rounded(double value, int digits) {
  const double unit = std::pow(10, digits);
  return python_float(std::nearbyint(value * unit) / unit);
}

class TrainerLog : public Observer {
 public:
  explicit TrainerLog(const LogContext& context) : context_(context) {}

  bool wants_losses() const override { return true; }

  void training_begins(const record::Work& work, const Position& from,
                       const forecast::ObservedRun&) override {
    begun_at_s_ = context_.clock.now_s();
    plan_.emplace(context_.config, work.iterations_per_epoch);
    from_ = from;
    epochs_ = static_cast<double>(from.epoch);
  }

  void epoch_begins(std::int64_t epoch) override {
    const bool goes_on = from_.iteration > 0 && epoch == from_.epoch;
    epoch_samples_ = goes_on ? from_.iteration * context_.config.batch : 0;
    epoch_loss_ = goes_on ? std::nullopt : std::optional(0.0);
  }

  /// The loss is the mean over the epoch so far. After a resume within an epoch, the loss of the
  /// first batch cannot be separated from the losses of the batches before it.
  void step_ends(const record::Iteration& row, const Metrics& losses) override {
    const auto role = plan_->role({row.epoch, row.index});
    epoch_samples_ += row.samples;
    const double epoch_loss = metric(losses, "loss") * static_cast<double>(epoch_samples_);
    if (epoch_loss_) {
      loss_ += (epoch_loss - *epoch_loss_) / static_cast<double>(row.samples * role.batches);
      loss_updates_ += 1 / static_cast<double>(role.batches);
    }
    epoch_loss_ = epoch_loss;
    samples_ += row.samples * context_.processes;
    updates_ += role.last ? 1 : 0;
  }

  void epoch_ends(const record::Epoch& row, const Metrics& /*metrics*/) override {
    epochs_ = static_cast<double>(row.epoch + 1);
  }

  /// Prints nothing for an attempt without steps.
  void training_ends() override {
    if (updates_ == 0) {
      return;
    }
    const double runtime_s = context_.clock.now_s() - begun_at_s_;
    context_.out << fmt::format(
                        "{{'train_runtime': {}, 'train_samples_per_second': {}, "
                        "'train_steps_per_second': {}, 'train_loss': {}, 'epoch': {}}}\n",
                        rounded(runtime_s, 4),
                        rounded(static_cast<double>(samples_) / runtime_s, 3),
                        rounded(static_cast<double>(updates_) / runtime_s, 3),
                        python_float(loss_ / loss_updates_), python_float(epochs_))
                 << std::flush;
  }

 private:
  const LogContext context_;
  std::optional<UpdatePlan> plan_;
  Position from_;
  double begun_at_s_ = 0;
  std::int64_t epoch_samples_ = 0;
  std::optional<double> epoch_loss_;  ///< Sum over the samples; empty if it is not known.
  double loss_ = 0;                   ///< Sum over the updates with known batch losses.
  double loss_updates_ = 0;           ///< Number of these updates, with fractions.
  std::int64_t samples_ = 0;
  std::int64_t updates_ = 0;
  double epochs_ = 0;
};

}  // namespace trainer_log

LogSpec trainer() {
  return {
      [](const LogContext& context) { return std::make_unique<trainer_log::TrainerLog>(context); }};
}

}  // namespace epochcast::train::logs
