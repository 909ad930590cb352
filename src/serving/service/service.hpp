// What a service answers: POST /predict, GET /health, GET /metrics.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/serving/http/server.hpp"
#include "src/serving/service/batcher.hpp"
#include "src/serving/service/cache.hpp"
#include "src/serving/service/metrics.hpp"
#include "src/serving/service/request.hpp"

namespace epochcast::serve {

struct ServiceSettings {
  RequestLimits limits;
  BatchOptions batches;
  std::string token = {};               ///< "": none is asked for.
  std::vector<std::string> names = {};  ///< Of this machine: own_names().
  std::string model = {};  ///< Part of the keys of the cache: others may use the same one.
};

class Service : public http::Handler {
 public:
  /// `cache` may be null. `warm_up` is as in Batcher. All outlive the service.
  Service(Predictor& predictor, const ServiceSettings& settings, Cache* cache,
          std::function<void()> warm_up);

  void handle(http::Request request, http::Reply reply) override;
  void answered(const std::string& path, int status) override;

  Batcher& batcher() { return batcher_; }
  const Metrics& metrics() const { return metrics_; }
  /// From now on POST /predict and GET /health are answered 503; what was accepted is answered.
  void start_draining() { draining_ = true; }

 private:
  /// A request on its way through the batches.
  struct Asked;

  http::Response health() const;
  http::Response page() const;
  void predict(const http::Request& request, const http::Reply& reply);
  std::optional<http::Response> refusal() const;
  http::Response full() const;
  std::vector<std::unique_ptr<Input>> prepare(const std::vector<std::string>& items) const;
  std::optional<std::string> find_cached(const std::string& key);
  void keep_cached(const std::string& key, const std::string& answer);
  void finish(const Asked& asked, const Outcome& outcome);

  Predictor& predictor_;
  const ServiceSettings settings_;
  Cache* cache_;
  AnswerWriter writer_;
  Metrics metrics_;
  std::atomic<bool> draining_{false};
  Batcher batcher_;  ///< Last: its thread uses the others.
};

}  // namespace epochcast::serve
