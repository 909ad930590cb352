// Applies the load: starts requests when they are due and counts what becomes of them. Runs in one
// event loop; nothing here waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/record/run/serving.hpp"
#include "src/serving/http/client.hpp"
#include "src/serving/load/mix.hpp"
#include "src/serving/load/service_metrics.hpp"
#include "src/serving/load/stages.hpp"
#include "src/serving/load/tally.hpp"

namespace epochcast::load {

/// Takes the rows, in the thread of the loop; must not wait.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void take(const record::ServingSecond& row) = 0;
  /// A stage whose requests have all ended.
  virtual void take(const record::ServingStage& row,
                    const std::vector<record::ServingLatency>& latencies) = 0;
  /// The forward passes during the whole load, by stage.
  virtual void take(const std::vector<record::ServingPass>& rows) = 0;
};

struct GeneratorParts {
  http::EventLoop& loop;
  const http::Address& address;
  const run::LoadOptions& options;
  std::string token;
  RowSink& sink;
  std::function<void()> done;  ///< Called once, when all requests have ended.
};

class Generator {
 public:
  /// Throws Error for stages or a mix that are not valid, or a host without an address.
  explicit Generator(const GeneratorParts& parts);

  void start();
  /// Starts no further requests; those in flight are waited for.
  void stop();

  double start_s() const { return start_s_; }
  std::int64_t answered() const { return tally_->answered(); }
  /// The reason of the first request that failed; empty: none did.
  const std::string& first_failure() const { return first_failure_; }

 private:
  /// One round: perhaps GET /health, then POST /predict.
  struct Round {
    std::size_t stage = 0;
    double due_s = 0;     ///< When it was to begin.
    double health_s = 0;  ///< What GET /health took, from its sending.
    std::function<void(const http::Answer&)> then;
  };
  void arrive();
  void send_user(std::size_t user, double from_s);
  void begin_of_user(std::size_t user);
  void begin(Round round);
  void predict(Round round);
  void note_failure(const char* request, const http::Answer& answer);
  void tick();
  void ask_at_boundaries();
  void ask_metrics(double asked_s, std::function<void(const std::optional<ServiceMetrics>&)> then);
  void emit_second(const std::optional<ServiceMetrics>& metrics);
  void close_stages(double now);
  void finish_if_over();
  void finish();
  double now_s() const { return parts_.loop.clock().now_s(); }

  GeneratorParts parts_;
  Stages stages_;
  Mix mix_;
  http::Client client_;
  http::Client metrics_client_;
  std::shared_ptr<const std::string> health_request_;
  std::shared_ptr<const std::string> metrics_request_;
  std::optional<Arrivals> arrivals_;
  std::optional<Arrivals::Arrival> next_;
  std::optional<Tally> tally_;
  double start_s_ = 0;
  std::optional<double> stopped_s_;
  bool is_done_ = false;
  std::int64_t ticks_ = 0;
  std::size_t closed_stages_ = 0;
  std::optional<record::ServingSecond> second_;  ///< Waits for the metrics.
  std::optional<ServiceMetrics> metrics_;
  StagePasses passes_;
  std::string first_failure_;
};

}  // namespace epochcast::load
