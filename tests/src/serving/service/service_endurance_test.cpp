// Many requests of all kinds: what the service holds does not grow with their number.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <regex>
#include <thread>
#include <vector>

#include "tests/serving/known_predictor.hpp"
#include "tests/serving/raw_client.hpp"
#include "tests/serving/running_service.hpp"

namespace epochcast::serve {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_the_sanitizers = true;
#else
constexpr bool memory_is_the_sanitizers = false;
#endif

constexpr std::int64_t allowed_growth_bytes = std::int64_t(8) << 20;

std::int64_t value_of(const std::string& page, const std::string& name) {
  std::smatch found;
  return std::regex_search(page, found, std::regex("\n" + name + " ([0-9]+)"))
             ? std::stoll(found[1])
             : -1;
}

/// Asks until no other connection is open, then gives memory and open files of this process.
std::pair<std::int64_t, std::int64_t> held(const RunningService& service) {
  for (;;) {
    RawClient client(service.port());
    client.send(request_text("GET", "/metrics"));
    const auto page = client.receive().body;
    if (value_of(page, "epochcast_connections") == 1) {
      return {value_of(page, "process_resident_memory_bytes"), value_of(page, "process_open_fds")};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Requests of all kinds, every seventh on a connection of its own that may be left half-way.
/// Returns the number of answers that were not those expected.
int send_requests(const RunningService& service, int first, int last) {
  int wrong = 0;
  auto client = std::make_unique<RawClient>(service.port());
  for (int i = first; i < last; ++i) {
    const std::string text(static_cast<std::size_t>(i % 997), static_cast<char>('a' + i % 26));
    const auto good =
        request_text("POST", "/predict", R"({"text": ["x)" + text + std::to_string(i) + R"("]})");
    switch (i % 7) {
      case 0:
        RawClient(service.port()).send(good.substr(0, good.size() / 2));
        break;
      case 1:
        RawClient(service.port()).send(good);  // and is not there for the answer
        break;
      case 2:
        client->send(request_text("POST", "/predict", R"({"text": 5})"));
        wrong += client->receive().status == 422 ? 0 : 1;
        break;
      case 3:
        client->send(request_text("POST", "/predict", std::string(20'000, 'x')));
        wrong += client->receive().status == 413 ? 0 : 1;
        client = std::make_unique<RawClient>(service.port());
        break;
      default:
        client->send(good);
        wrong += client->receive().status == 200 ? 0 : 1;
    }
  }
  return wrong;
}

/// As fast as the service answers, on four connections that stay open, each with 50 requests on
/// their way. Of ten requests the cache answers nine. Returns the number of answers that were not
/// 200.
int send_at_full_rate(const RunningService& service, int first, int last) {
  constexpr int at_once = 50;
  constexpr int connections = 4;
  std::atomic<int> wrong{0};
  std::vector<std::thread> clients;
  for (int number = 0; number < connections; ++number) {
    clients.emplace_back([&, number] {
      RawClient client(service.port());
      for (int i = first + number * at_once; i < last; i += connections * at_once) {
        std::string requests;
        for (int k = i; k < i + at_once; ++k) {
          requests +=
              request_text("POST", "/predict",
                           R"({"text": ["t)" + std::to_string(k % 10 == 0 ? k : 0) + R"("]})");
        }
        client.send(requests);
        for (int k = 0; k < at_once; ++k) {
          wrong += client.receive().status == 200 ? 0 : 1;
        }
      }
    });
  }
  for (auto& client : clients) {
    client.join();
  }
  return wrong;
}

/// Sends a fifth of the requests and then the others, and compares what the service holds.
void expect_flat(int requests, int (*send)(const RunningService&, int first, int last)) {
  KnownPredictor predictor(0, 0);
  RunningService service(predictor, {.serve = {.batch_wait = {0}, .cache_entries = 100},
                                     .listen = {.max_body = {10'000}, .receive_time = {2}}});
  EXPECT_EQ(send(service, 0, requests / 5), 0);
  const auto [memory_before, files_before] = held(service);
  EXPECT_EQ(send(service, requests / 5, requests), 0);
  const auto [memory_after, files_after] = held(service);
  testing::Test::RecordProperty("memory_before", std::to_string(memory_before));
  testing::Test::RecordProperty("memory_after", std::to_string(memory_after));
  EXPECT_EQ(files_after, files_before);
  if (!memory_is_the_sanitizers) {
    EXPECT_LT(memory_after - memory_before, allowed_growth_bytes);
  }
  EXPECT_EQ(service.stop().unanswered, 0U);
}

bool is_long() {
  return std::getenv("EPOCHCAST_LONG") != nullptr;
}

TEST(SlowService, HoldsTheSameMemoryAndOpenFilesHoweverLongItRuns) {
  expect_flat(is_long() ? 3'600'000 : 30'000, send_requests);
}

/// An hour's requests at 1000/s.
TEST(SlowService, HoldsTheSameMemoryAndOpenFilesAtFullRate) {
  expect_flat(is_long() ? 3'600'000 : 100'000, send_at_full_rate);
}

}  // namespace
}  // namespace epochcast::serve
