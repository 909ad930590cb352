// The states of a folder for programs: JSON by its schema, and metrics as Prometheus reads them.
#include "jobs/campaign/status_page.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "src/base/core/text.hpp"
#include "tests/files.hpp"
#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs {
namespace {

using testing::HasSubstr;

class StatusPageTest : public test::FourPoints {
 protected:
  /// One point of each kind: a waiting one, one that runs, one that failed.
  StatusReport report() const {
    StatusReport report;
    PointStatus pending;
    pending.point = points_[0];
    pending.allocation = "a";
    pending.state = PointState::pending;
    pending.reason = "Priority";
    pending.job = pending.job_name = "7";
    PointStatus running = pending;
    running.point = points_[1];
    running.state = PointState::running;
    running.swept = R"(name="a\b")";
    running.reason = "";
    running.job = running.job_name = "8";
    running.attempts = 2;
    running.progress = {.elapsed_s = 62.12345,
                        .left_s = 30,
                        .left_low_s = 25.5,
                        .left_high_s = 41,
                        .epoch = 3,
                        .epochs = 9,
                        .share = 1.0 / 3};
    running.progress.rates.samples_per_s = 1234.5;
    PointStatus failed = running;
    failed.point = points_[2];
    failed.state = PointState::failed;
    failed.cause = run::FailureCause::out_of_memory;
    failed.reason = "exit 1";
    failed.progress = {.elapsed_s = 5};
    report.points = {pending, running, failed};
    return report;
  }
  StatusForPrograms page() const {
    auto page = for_programs(OutFolder(out_), report(),
                             slurm::parse_times("7|PENDING|1795255000|1:00:00\n"
                                                "8|RUNNING|1795250000|0:45\n"
                                                "1|1|PENDING|a line of something else|x\n"),
                             1795254000);
    page.page.at = "2026-11-21T09:00:00+00:00";
    page.page.folder = "/out";
    for (std::size_t i = 0; i < page.points.size(); ++i) {  // the hash of a point is not of here
      page.points[i].point = fmt::format("point{}", i);
    }
    page.points[0].expected_start_at = "2026-11-21T09:16:40+00:00";  // of any time zone
    return page;
  }
};

TEST_F(StatusPageTest, JsonIsAsItWas) {
  expect_golden(status_json(page()), "status.json");
}

TEST_F(StatusPageTest, ExpectedStartsAreThoseOfWaitingJobs) {
  const auto rows =
      for_programs(OutFolder(out_), report(),
                   slurm::parse_times("7|PENDING|N/A|INVALID\n8|RUNNING|1795250000|UNLIMITED\n"),
                   1795254000)
          .points;
  EXPECT_EQ(rows[0].expected_start_at, "");
  EXPECT_EQ(rows[0].expected_wait_s, std::nullopt);
  EXPECT_EQ(rows[1].expected_start_at, "") << "it has begun";
  const auto json = nlohmann::json::parse(status_json({.page = {}, .points = rows}));
  EXPECT_TRUE(json.at("points")[1].at("limit_left_s").is_null()) << "there is no limit";
}

TEST_F(StatusPageTest, TheSchemaNamesExactlyWhatIsPrinted) {
  const auto schema = nlohmann::json::parse(status_reference());
  const auto json = nlohmann::json::parse(status_json(page()));
  const auto check = [](const nlohmann::json& object, const nlohmann::json& by) {
    EXPECT_EQ(object.size(), by.at("properties").size());
    for (const auto& [name, value] : object.items()) {
      const auto& types = by.at("properties").at(name).at("type");
      const std::string type = value.is_number()   ? "number"
                               : value.is_null()   ? "null"
                               : value.is_string() ? "string"
                                                   : "array";
      EXPECT_TRUE(types == type ||
                  (types.is_array() && types.dump().find(type) != std::string::npos))
          << name << ": " << value;
    }
  };
  check(json, schema);
  for (const auto& point : json.at("points")) {
    check(point, schema.at("properties").at("points").at("items"));
  }
  EXPECT_EQ(schema.at("properties").at("schema").at("const"), json.at("schema"));
}

/// The rules of the text format: HELP, TYPE, then all samples of a metric together; names, labels
/// with escapes, numbers; no series twice; a line feed at the end.
TEST_F(StatusPageTest, MetricsAreInTheTextFormatOfPrometheus) {
  const auto text = status_metrics(page());
  ASSERT_TRUE(text.ends_with("\n"));
  const std::regex sample(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+\} (\S+))re");
  std::set<std::string> ended;
  std::set<std::string> series;
  std::string metric;
  std::string last = "sample";
  for (const auto& line : split(trim(text), '\n')) {
    std::smatch found;
    if (line.starts_with("# HELP ")) {
      EXPECT_EQ(last, "sample") << line;
      metric = split(line, ' ')[2];
      EXPECT_TRUE(ended.insert(metric).second) << line;
      last = "help";
    } else if (line.starts_with("# TYPE ")) {
      EXPECT_EQ(last, "help") << line;
      EXPECT_EQ(line, "# TYPE " + metric + " gauge");
      last = "type";
    } else {
      ASSERT_TRUE(std::regex_match(line, found, sample)) << line;
      EXPECT_EQ(found[1], metric);
      EXPECT_TRUE(parse_double(found[2].str())) << line;
      EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
      last = "sample";
    }
  }
  EXPECT_EQ(last, "sample");
  const std::string of = R"({experiment="x",folder="/out",point="point)";
  EXPECT_THAT(text, HasSubstr("epochcast_point_left_seconds" + of + "1\"} 30\n"));
  EXPECT_THAT(text, HasSubstr("epochcast_point_limit_left_seconds" + of + "1\"} 45\n"));
  EXPECT_THAT(text, HasSubstr("epochcast_point_expected_wait_seconds" + of + "0\"} 1000\n"));
  EXPECT_THAT(text, HasSubstr("epochcast_point_samples_per_second" + of + "1\"} 1234.5\n"));
  EXPECT_THAT(text,
              HasSubstr("epochcast_points{experiment=\"x\",folder=\"/out\",state=\"lost\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("epochcast_point_state" + of + "2\",state=\"failed\"} 1\n"));
}

TEST_F(StatusPageTest, LabelsAreEscaped) {
  auto odd = page();
  odd.page.folder = "/a \"b\"\\c\nd";
  EXPECT_THAT(status_metrics(odd), HasSubstr(R"(folder="/a \"b\"\\c\nd")"));
}

}  // namespace
}  // namespace epochcast::jobs
