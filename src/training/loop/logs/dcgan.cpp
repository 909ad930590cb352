// The log of the lab's DCGAN program: one line per batch, because it read both losses after every
// batch. Its times are those that the lab measured: training and sample pictures, without
// checkpoints, which it did not save. `import lab_log` reads this log.
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <ostream>

#include "src/base/core/text.hpp"
#include "src/training/loop/published_log.hpp"

namespace epochcast::train::logs {
namespace dcgan_log {

/// "Sun, 12 Mar 2023 01:30:00 local": without an offset, as the lab wrote it; the record has the
/// offset.
std::string lab_stamp(std::time_t seconds) {
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S local", &local);
  return text.data();
}

class LabLog : public Observer {
 public:
  explicit LabLog(const LogContext& context);

  bool wants_losses() const override { return true; }
  void training_begins(const record::Work& work, const Position& from,
                       const forecast::ObservedRun& run) override;
  void epoch_begins(std::int64_t epoch) override;
  void step_begins(const Position& position) override;
  void step_ends(const record::Iteration& row, const Metrics& losses) override;
  void epoch_ends(const record::Epoch& row, const Metrics& metrics) override;
  void training_ends() override;

 private:
  std::string losses_text() const;

  std::ostream& out_;
  const Clock& clock_;
  std::string device_;
  std::string picture_;
  std::int64_t epochs_;
  double begun_at_s_ = 0;
  double checkpoints_s_ = 0;
  double epoch_begun_at_s_ = 0;
  std::int64_t examples_ = 0;  ///< Examples of this epoch.
  Metrics losses_;             ///< The last losses read.
};

LabLog::LabLog(const LogContext& context)
    : out_(context.out),
      clock_(context.clock),
      device_(context.config.device == "cuda" ? "cuda:0" : context.config.device),
      epochs_(context.config.epochs) {
  std::vector<std::string> sizes{"1"};
  for (const auto size : context.input) {
    sizes.push_back(std::to_string(size));
  }
  picture_ = join(sizes, ", ");
}

void LabLog::training_begins(const record::Work&, const Position&, const forecast::ObservedRun&) {
  out_ << fmt::format("Device: {}\nnet_G(x).shape: torch.Size([{}])\n", device_, picture_)
       << std::flush;
  begun_at_s_ = clock_.now_s();
}

void LabLog::epoch_begins(std::int64_t epoch) {
  epoch_begun_at_s_ = clock_.now_s();
  examples_ = 0;
  out_ << fmt::format("Epoch: {}\n", epoch + 1);
}

void LabLog::step_begins(const Position& position) {
  out_ << fmt::format("Processing batch: {}-{}\n", position.epoch + 1, position.iteration)
       << std::flush;
}

void LabLog::step_ends(const record::Iteration& row, const Metrics& losses) {
  examples_ += row.samples;
  losses_ = losses;
  const double elapsed_s = clock_.now_s() - epoch_begun_at_s_;
  out_ << fmt::format(
              "{}, {:.1f} examples/sec on {} ({:.1f} examples in {:.1f} seconds during this "
              "epoch)\n",
              losses_text(), static_cast<double>(examples_) / elapsed_s, device_,
              static_cast<double>(examples_), elapsed_s)
       << std::flush;
}

void LabLog::epoch_ends(const record::Epoch& row, const Metrics& /*metrics*/) {
  checkpoints_s_ += row.checkpoint_s;
}

/// As in the lab, the end is the start plus the total.
void LabLog::training_ends() {
  const double elapsed_s = clock_.now_s() - begun_at_s_;
  const double total_s = elapsed_s - checkpoints_s_;
  const auto started = std::time(nullptr) - static_cast<std::time_t>(elapsed_s);
  out_ << fmt::format("{}, {:.1f} sec/epoch on {}\n", losses_text(),
                      total_s / static_cast<double>(epochs_), device_)
       << fmt::format("Num epochs: {}\nTotal training time: {:.1f} seconds\n", epochs_, total_s)
       << fmt::format("Started at: {}\nEnded at: {}\n", lab_stamp(started),
                      lab_stamp(started + static_cast<std::time_t>(total_s)))
       << std::flush;
}

/// "loss_D 0.637, loss_G 1.344" of loss_d and loss_g.
std::string LabLog::losses_text() const {
  std::vector<std::string> parts;
  for (const auto& [name, value] : losses_) {
    auto shown = name;
    shown.back() = static_cast<char>(std::toupper(static_cast<unsigned char>(shown.back())));
    parts.push_back(fmt::format("{} {:.3f}", shown, value));
  }
  return join(parts, ", ");
}

}  // namespace dcgan_log

LogSpec dcgan() {
  return {[](const LogContext& context) { return std::make_unique<dcgan_log::LabLog>(context); }};
}

}  // namespace epochcast::train::logs
