#include "src/serving/load/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "src/record/serving_queries.hpp"
#include "tests/raw_server.hpp"

namespace epochcast::load {
namespace {

using tests::http_answer;
using tests::RawServer;

struct Rows : RowSink {
  void take(const record::ServingSecond& row) override { seconds.push_back(row); }
  void take(const record::ServingStage& row,
            const std::vector<record::ServingLatency>& bins) override {
    stages.push_back(row);
    latencies.insert(latencies.end(), bins.begin(), bins.end());
  }
  void take(const std::vector<record::ServingPass>& rows) override { passes = rows; }

  LatencyHistogram latencies_of(std::int64_t stage, const std::string& request = "predict") const {
    return record::latencies_of(latencies, stage, request);
  }
  std::int64_t sum(std::int64_t record::ServingSecond::*counter) const {
    std::int64_t sum = 0;
    for (const auto& second : seconds) {
      sum += second.*counter;
    }
    return sum;
  }

  std::vector<record::ServingSecond> seconds;
  std::vector<record::ServingStage> stages;
  std::vector<record::ServingLatency> latencies;
  std::vector<record::ServingPass> passes;
};

/// Applies the load and returns its rows. `stop_s`: when it is ended early; 0: it is not.
Rows rows_of(const std::string& url, const run::LoadOptions& options, double stop_s = 0) {
  const SteadyClock clock;
  Rows rows;
  http::EventLoop loop(clock);
  const auto address = http::parse_url(url);
  Generator generator({.loop = loop,
                       .address = address,
                       .options = options,
                       .token = "secret",
                       .sink = rows,
                       .done = [&] { loop.stop(); }});
  if (stop_s > 0) {
    loop.at(clock.now_s() + stop_s, [&] { generator.stop(); });
  }
  generator.start();
  loop.run();
  return rows;
}

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(Generator, SendsEveryRequestOfARateAndCountsItOnce) {
  RawServer server([](const auto&) { return http_answer(200, "{}"); });
  const auto rows = rows_of(server.url(), {.arrivals = "constant", .stages = "50/s:1s,100/s:1s"});
  ASSERT_EQ(rows.stages.size(), 2U);
  EXPECT_EQ(rows.stages[0].requests, 50);
  EXPECT_EQ(rows.stages[0].answered, 50);
  EXPECT_EQ(rows.stages[1].requests, 100);
  EXPECT_EQ(rows.latencies_of(0).count(), 50);
  EXPECT_EQ(rows.latencies_of(1).count(), 100);
  EXPECT_EQ(rows.sum(&record::ServingSecond::answered), 150);
  EXPECT_EQ(rows.sum(&record::ServingSecond::started), 150);
  EXPECT_EQ(rows.seconds.back().in_flight, 0);
  EXPECT_EQ(rows.stages[1].load_unit.view(), "1/s");
}

TEST(Generator, SendsTheTokenAndTheTexts) {
  std::mutex mutex;
  std::string seen;
  RawServer server([&](const RawServer::Request& request) {
    const std::lock_guard lock(mutex);
    seen += request.has("POST /predict") ? request.text : "";
    return http_answer(200, "{}");
  });
  rows_of(server.url(), {.arrivals = "constant", .stages = "1/s:1s", .cached = 1});
  EXPECT_NE(seen.find("Authorization: Bearer secret\r\n"), std::string::npos);
  EXPECT_NE(seen.find("{\"text\": [\"It works well!\", "), std::string::npos);
}

TEST(Generator, SortsFailuresByTheirKind) {
  std::atomic<int> predictions{0};
  RawServer server([&](const RawServer::Request& request) {
    if (!request.has("POST /predict")) {
      return http_answer(404, "");
    }
    switch (predictions++ % 5) {
      case 0:
        return http_answer(200, "{}");
      case 1:
        return http_answer(429, "");
      case 2:
        return http_answer(503, "");
      case 3:
        return http_answer(500, "");
      default:
        return std::string("no HTTP\r\n\r\n");
    }
  });
  const auto rows = rows_of(server.url(), {.arrivals = "constant", .stages = "100/s:1s"});
  ASSERT_EQ(rows.stages.size(), 1U);
  const auto& stage = rows.stages[0];
  EXPECT_EQ(stage.requests, 100);
  EXPECT_EQ(stage.answered, 20);
  EXPECT_EQ(stage.refused, 20);
  EXPECT_EQ(stage.unavailable, 20);
  EXPECT_EQ(stage.other_statuses, 20);
  EXPECT_EQ(stage.broken, 20);
  EXPECT_EQ(stage.timeouts, 0);
  EXPECT_EQ(rows.latencies_of(0).count(), 20);
  EXPECT_EQ(record::failed_of(stage), 80);
}

TEST(Generator, CountsRequestsWithoutAnswerAsTimeouts) {
  RawServer server([](const RawServer::Request& request) {
    if (request.has("POST /predict")) {
      sleep_s(0.6);
    }
    return http_answer(200, "{}");
  });
  const auto rows =
      rows_of(server.url(),
              {.arrivals = "constant", .stages = "20/s:0.5s", .connections = 20, .timeout = {0.1}});
  ASSERT_EQ(rows.stages.size(), 1U);
  EXPECT_EQ(rows.stages[0].timeouts, 10);
  EXPECT_EQ(rows.stages[0].answered, 0);
}

/// A service that stands still for a second, after which it answers at once. Requests at 100/s that
/// were to start while it stood still waited up to a second each: half of them more than half of
/// it. Whoever measures from the moment of sending, on one connection, sees one slow request only.
TEST(Generator, CountsTheWaitOfRequestsThatCouldNotStart) {
  std::atomic<bool> stood_still{false};
  RawServer server([&](const RawServer::Request& request) {
    if (request.has("POST /predict") && !stood_still.exchange(true)) {
      sleep_s(1);
    }
    return http_answer(200, "{}");
  });
  const auto rows =
      rows_of(server.url(), {.arrivals = "constant", .stages = "100/s:1.5s", .connections = 1});
  const auto latencies = rows.latencies_of(0);
  EXPECT_EQ(latencies.count(), 150);
  EXPECT_GE(latencies.count() - latencies.count_up_to(0.5), 50);
  EXPECT_GE(latencies.quantile_s(1), 1.0);
}

TEST(Generator, UsersSendOneRequestAfterTheOther) {
  std::mutex mutex;
  int at_once = 0;
  int most_at_once = 0;
  RawServer server([&](const RawServer::Request& request) {
    if (!request.has("POST /predict")) {
      return http_answer(200, "");
    }
    {
      const std::lock_guard lock(mutex);
      most_at_once = std::max(most_at_once, ++at_once);
    }
    sleep_s(0.02);
    const std::lock_guard lock(mutex);
    --at_once;
    return http_answer(200, "{}");
  });
  const auto rows = rows_of(server.url(), {.arrivals = "closed", .stages = "3:0.5s,1:0.5s"});
  ASSERT_EQ(rows.stages.size(), 2U);
  EXPECT_LE(most_at_once, 3);
  EXPECT_EQ(rows.stages[0].load_unit.view(), "users");
  EXPECT_GT(rows.stages[0].answered, 0);
  EXPECT_EQ(rows.stages[0].requests, rows.stages[0].answered);
  EXPECT_LE(rows.stages[0].answered, 75 + 3);  // one every 20 ms each, at most
  EXPECT_LE(rows.stages[1].answered, 25 + 1);
  EXPECT_GE(rows.latencies_of(0).quantile_s(0), 0.0199);
}

TEST(Generator, AsksForHealthFirstIfItIsTold) {
  RawServer server([](const RawServer::Request& request) {
    if (request.has("GET /health")) {
      sleep_s(0.1);
    }
    return http_answer(200, "{}");
  });
  const auto rows =
      rows_of(server.url(), {.arrivals = "constant", .stages = "10/s:1s", .health = true});
  EXPECT_EQ(rows.latencies_of(0, "health").count(), 10);
  EXPECT_EQ(rows.latencies_of(0).count(), 10);
  EXPECT_GE(rows.latencies_of(0, "health").quantile_s(0), 0.0999);
  // The time of GET /health is not that of the prediction: the sum of both would be above it.
  EXPECT_LT(rows.latencies_of(0).quantile_s(0), rows.latencies_of(0, "health").quantile_s(0));
}

TEST(Generator, ReadsTheMetricsOfTheService) {
  std::atomic<int> asked{0};
  RawServer server([&](const RawServer::Request& request) {
    if (!request.has("GET /metrics")) {
      return http_answer(200, "{}");
    }
    const auto text = std::to_string(10 * ++asked);
    return http_answer(200, "epochcast_queue_inputs 3\nepochcast_batch_inputs_count " + text +
                                "\nepochcast_batch_inputs_sum " + text +
                                "0\nepochcast_passes_total{inputs=\"4\"} " + text +
                                "\nepochcast_passes_seconds_total{inputs=\"4\"} " + text + "\n");
  });
  const auto rows = rows_of(server.url(), {.arrivals = "constant", .stages = "10/s:2.5s"});
  EXPECT_GE(rows.seconds.size(), 3U);
  double batches = 0;
  for (const auto& second : rows.seconds) {
    if (!std::isnan(second.batches)) {  // the metrics came before the next second's
      EXPECT_EQ(second.queue_length, 3);
      EXPECT_EQ(second.batch_inputs, 10 * second.batches);
      batches += second.batches;
    }
  }
  ASSERT_EQ(rows.passes.size(), 1U);
  EXPECT_EQ(rows.passes[0].inputs, 4);
  EXPECT_GT(rows.passes[0].passes, 0);
  EXPECT_EQ(static_cast<double>(rows.passes[0].passes), batches);
}

/// A service that has made 10 more passes whenever it is asked.
TEST(Generator, SortsThePassesOfTheServiceByStage) {
  std::atomic<int> asked{0};
  RawServer server([&](const RawServer::Request& request) {
    return http_answer(200, request.has("GET /metrics")
                                ? "epochcast_passes_total{inputs=\"4\"} " +
                                      std::to_string(10 * ++asked) +
                                      "\nepochcast_passes_seconds_total{inputs=\"4\"} 1\n"
                                : "{}");
  });
  const auto rows =
      rows_of(server.url(), {.arrivals = "constant", .stages = "10/s:1.5s,20/s:1s,30/s:0.3s"});
  // Asked at 0, 1, 1.5 (a boundary), 2, 2.5 (another), and at the end, if no answer was late.
  std::int64_t passes = 0;
  ASSERT_GE(rows.passes.size(), 3U);
  for (const auto& row : rows.passes) {
    EXPECT_GE(row.stage, record::no_stage);
    EXPECT_LE(row.stage, 2);
    passes += row.passes;
  }
  EXPECT_EQ(passes, 10 * (asked - 1));
  const auto count = [&](std::int64_t stage) {
    return std::ranges::count(rows.passes, stage, &record::ServingPass::stage);
  };
  EXPECT_EQ(count(0), 1);
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(2), 1);
}

TEST(Generator, EndsEarlyAndWaitsForWhatIsInFlight) {
  RawServer server([](const RawServer::Request& request) {
    if (request.has("POST /predict")) {
      sleep_s(0.3);
    }
    return http_answer(200, "{}");
  });
  const auto rows =
      rows_of(server.url(), {.arrivals = "constant", .stages = "20/s:60s,20/s:60s"}, 0.5);
  ASSERT_EQ(rows.stages.size(), 1U);
  EXPECT_GT(rows.stages[0].requests, 0);
  EXPECT_EQ(rows.stages[0].answered, rows.stages[0].requests);
  EXPECT_LT(rows.stages[0].duration_s, 60);
}

TEST(Generator, UsersDoNotHammerAServiceThatIsGone) {
  std::string url;
  {
    RawServer server([](const auto&) { return ""; });
    url = server.url();
  }
  const auto rows = rows_of(url, {.arrivals = "closed", .stages = "2:1s"});
  ASSERT_EQ(rows.stages.size(), 1U);
  EXPECT_GT(rows.stages[0].broken, 0);
  EXPECT_LE(rows.stages[0].broken, 2 * 11);
}

}  // namespace
}  // namespace epochcast::load
