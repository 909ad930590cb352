// The log of the depth sweep: one line per epoch, from 0. The loss is the sum of the mean losses of
// the batches. The error is the error on the training batches, counted while the weights change.
#include <fmt/format.h>

#include <ostream>

#include "src/training/loop/published_log.hpp"

namespace epochcast::train::logs {
namespace mlp_log {

class SweepLog : public Observer {
 public:
  explicit SweepLog(std::ostream& out) : out_(out) {}

  void epoch_ends(const record::Epoch& row, const Metrics& metrics) override {
    const double batches = static_cast<double>(row.iterations);
    out_ << fmt::format("Epoch {:2d}: Train Loss {:6.2f}, Train Error: {:5.02f}%\n", row.epoch,
                        metric(metrics, "loss") * batches, 100 * (1 - metric(metrics, "accuracy")))
         << std::flush;
  }

 private:
  std::ostream& out_;
};

}  // namespace mlp_log

LogSpec mlp() {
  return {
      [](const LogContext& context) { return std::make_unique<mlp_log::SweepLog>(context.out); }};
}

}  // namespace epochcast::train::logs
