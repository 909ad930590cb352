#include "src/serving/service/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "src/base/core/text.hpp"

namespace epochcast::serve {
namespace {

using testing::HasSubstr;

TEST(Histogram, CountsValuesUpToEachBoundAndAll) {
  Histogram histogram({1, 2.5});
  for (const double value : {0.5, 1.0, 2.0, 7.0}) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.lines("x"),
            "x_bucket{le=\"1\"} 2\nx_bucket{le=\"2.5\"} 3\nx_bucket{le=\"+Inf\"} 4\n"
            "x_sum 10.5\nx_count 4\n");
}

TEST(MetricsPage, HasWhatWasCounted) {
  Metrics metrics;
  metrics.add_answer("/predict", 200);
  metrics.add_answer("/predict", 200);
  metrics.add_answer("/predict", 429);
  metrics.add_answer("/health", 200);
  metrics.add_latency(1.5);
  metrics.add_batch(3, 0.5);
  metrics.add_batch(3, 0.25);
  metrics.add_batch(4, 1);
  metrics.add_cache_use(CacheUse::hit);
  metrics.add_cache_use(CacheUse::miss);
  metrics.add_cache_use(CacheUse::miss);
  const auto page = metrics.page({.ready = true, .queue = 5, .queue_limit = 9},
                                 {.connections = 2, .refused = 1, .cut_off = 3});
  for (const char* line : {
           "epochcast_ready 1",
           "epochcast_queue_inputs 5",
           "epochcast_queue_limit_inputs 9",
           "epochcast_connections 2",
           "epochcast_connections_refused_total 1",
           "epochcast_connections_cut_off_total 3",
           "epochcast_requests_total{path=\"/predict\",status=\"200\"} 2",
           "epochcast_requests_total{path=\"/predict\",status=\"429\"} 1",
           "epochcast_request_seconds_bucket{le=\"1\"} 0",
           "epochcast_request_seconds_bucket{le=\"2\"} 1",
           "epochcast_batch_inputs_sum 10",
           "epochcast_batch_inputs_count 3",
           "epochcast_passes_total{inputs=\"3\"} 2",
           "epochcast_passes_seconds_total{inputs=\"3\"} 0.75",
           "epochcast_cache_hits_total 1",
           "epochcast_cache_misses_total 2",
           "epochcast_cache_failures_total 0",
       }) {
    EXPECT_THAT(page, HasSubstr(std::string("\n") + line + "\n"));
  }
  EXPECT_EQ(metrics.answers("/predict", 200), 2U);
  EXPECT_EQ(metrics.answers("/predict", 500), 0U);
}

TEST(MetricsPage, IsInTheFormatOfPrometheus) {
  Metrics metrics;
  metrics.add_answer("/predict", 200);
  metrics.add_batch(3, 0.5);
  const std::regex comment("# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))");
  const std::regex sample(R"re([a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [0-9.e+-]+)re");
  const auto page = metrics.page({}, {});
  EXPECT_TRUE(page.ends_with('\n'));
  for (const auto& line : split(page.substr(0, page.size() - 1), '\n')) {
    EXPECT_TRUE(std::regex_match(line, line.starts_with('#') ? comment : sample)) << line;
  }
}

TEST(MetricsPage, KnowsMemoryAndOpenFilesOfThisProcess) {
  const std::string page = Metrics().page({}, {});
  std::smatch found;
  ASSERT_TRUE(std::regex_search(page, found, std::regex("process_resident_memory_bytes (\\d+)")));
  EXPECT_GT(std::stoll(found[1]), 1 << 20);
  ASSERT_TRUE(std::regex_search(page, found, std::regex("process_open_fds (\\d+)")));
  EXPECT_GE(std::stoll(found[1]), 3);
}

}  // namespace
}  // namespace epochcast::serve
