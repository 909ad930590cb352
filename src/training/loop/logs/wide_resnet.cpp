// The log of the data-parallel study: one line per epoch, from 1, and a CSV file of time and
// accuracy. Times include only training, not evaluation.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <ostream>

#include "src/base/core/files.hpp"
#include "src/training/loop/published_log.hpp"

namespace epochcast::train::logs {
namespace wide_resnet_log {

std::string csv_name(const run::RunConfig& config, std::int64_t processes) {
  const auto option = [&](const char* name) {
    const auto found = config.optimizer_options.find(name);
    return found == config.optimizer_options.end() ? std::string("0") : found->second;
  };
  return fmt::format("{}ranks-{}bs-{}lr-{}m-{}w.csv", processes, config.batch,
                     option("learning_rate"), option("momentum"), config.warmup_epochs);
}

class ScalingLog : public Observer {
 public:
  explicit ScalingLog(const LogContext& context)
      : out_(context.out),
        folder_(context.folder / "training_data"),
        csv_(folder_ / csv_name(context.config, context.processes)) {}

  /// After a resume the file and the time continue.
  void training_begins(const record::Work& /*work*/, const Position& from,
                       const forecast::ObservedRun& /*run*/) override {
    make_folder(folder_);
    if (from.epoch > 0) {
      total_s_ = last_time_s();
    } else {
      std::ofstream(csv_) << "time,val_accuracy\n0.0,0.0\n";
    }
  }

  void epoch_ends(const record::Epoch& row, const Metrics& metrics) override {
    total_s_ += row.wall_s;
    const auto accuracy = metric(metrics, "val_accuracy");
    out_ << fmt::format(
                "Epoch = {:2d}: Cumulative Time = {:5.3f}, Epoch Time = {:5.3f}, Images/sec = {}, "
                "Training Accuracy = "
                "{:5.3f}, Validation Loss = {:5.3f}, Validation Accuracy = {:5.3f}\n",
                row.epoch + 1, total_s_, row.wall_s, static_cast<double>(row.samples) / row.wall_s,
                metric(metrics, "accuracy"), metric(metrics, "val_loss"), accuracy)
         << std::flush;
    std::ofstream(csv_, std::ios::app) << fmt::format("{:.1f},{:.4f}\n", total_s_, accuracy);
  }

  void target_reached(std::int64_t epoch) override {
    out_ << fmt::format("Early stopping after epoch {}\n", epoch + 1) << std::flush;
  }

 private:
  double last_time_s() const {
    std::ifstream file(csv_);
    double time_s = 0;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      time_s = std::strtod(line.c_str(), nullptr);
    }
    return time_s;
  }

  std::ostream& out_;
  std::filesystem::path folder_;
  std::filesystem::path csv_;
  double total_s_ = 0;
};

}  // namespace wide_resnet_log

LogSpec wide_resnet() {
  return {[](const LogContext& context) {
    return std::make_unique<wide_resnet_log::ScalingLog>(context);
  }};
}

}  // namespace epochcast::train::logs
