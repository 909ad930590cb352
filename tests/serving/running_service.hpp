// A service in this process, for tests: it runs in a thread from construction to destruction.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "src/base/core/text.hpp"
#include "src/serving/service/run_service.hpp"
#include "tests/files.hpp"

namespace epochcast::serve {

class RunningService {
 public:
  /// Waits until the service is ready, unless `wait` is false.
  RunningService(Predictor& predictor, ServiceOptions options, bool wait = true) {
    options.listen.port = 0;
    options.listen.address_file = address_file();
    thread_ = std::thread([this, &predictor, options] {
      try {
        end_ = run_service(predictor, options, [this] { return stop_.load(); });
      } catch (const std::exception& error) {
        failure_ = error.what();
      }
      ended_ = true;
    });
    while (wait && !ended_ && !std::filesystem::exists(address_file())) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~RunningService() { stop(); }
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;

  std::uint16_t port() const {
    const std::string address{trim(bytes_of(address_file()))};
    return static_cast<std::uint16_t>(
        parse_integer(address.substr(address.rfind(':') + 1)).value());  // throws if there is none
  }
  std::string address_file() const { return folder_ / "address"; }

  void ask_to_stop() { stop_ = true; }
  /// Returns when it has drained.
  ServiceEnd stop() {
    stop_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
    return end_;
  }
  /// What run_service threw; after stop.
  const std::string& failure() const { return failure_; }

 private:
  TemporaryFolder folder_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  ServiceEnd end_;
  std::string failure_;
  std::thread thread_;
};

}  // namespace epochcast::serve
