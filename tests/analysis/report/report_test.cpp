#include "analysis/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/report/section_spec.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/program.hpp"
#include "tests/html.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Would act, hide or reorder if any of it were not text.
constexpr const char* hostile =
    "<script>alert(1)</script>\"' onload=x\n\x1b]0;t\x07 \u202Eabc </style>";

ReportStamp still() {
  return {.title = "", .made_at = "2026-11-24T18:00:00+00:00", .made_by = "Epochcast TEST (made)"};
}

ReportInput input_of(const std::vector<record::Record>& records) {
  ReportInput input{.request = {.paths = {"out/records"}, .filters = {}, .ledgers = {}}};
  for (const auto& record : records) {
    input.records.push_back(loaded(record));
  }
  return input;
}

std::string page_of(const ReportInput& input) {
  return report_page(input, still());
}

ReportInput small_input() {
  auto failed = made_record({.epochs = 3, .repeat = 7});
  failed.header.outcome = "failed";
  failed.header.outcome_text = "out of memory";
  failed.epochs.pop_back();
  auto tainted = made_record({.epochs = 1, .repeat = 8});
  tainted.header.tainted = "cpus: asked 2, got 1";
  return input_of({made_record({.epochs = 1}), made_record({.epochs = 5}),
                   made_record({.allocation = "cpu4", .epochs = 1, .epoch_s = 6, .cpus = 4}),
                   made_record({.allocation = "cpu4", .epochs = 5, .epoch_s = 6, .cpus = 4}),
                   failed, tainted});
}

void expect_well_formed(const std::string& page) {
  const auto facts = read_html(page);
  EXPECT_THAT(facts.faults, IsEmpty());
  EXPECT_EQ(facts.tags.at("h1"), 1);
  EXPECT_EQ(facts.tags.at("main"), 1);
  for (std::size_t i = 1; i < facts.headings.size(); ++i) {
    EXPECT_LE(facts.headings[i], facts.headings[i - 1] + 1) << "a level is skipped";
  }
}

TEST(Report, IsThePageItWas) {
  auto page = without_assets(page_of(small_input()));
  for (const auto* section :
       {"results", "pictures", "tables"}) {  // what is registered is no part of the page
    const auto begin = page.find(std::string("<section id=\"") + section + "\"");
    page.erase(begin, page.find("</section>", begin) - begin);
  }
  expect_golden(page, "report.html");
}

TEST(Report, IsWellFormedAndLeadsNowhereOutside) {
  const auto page = page_of(small_input());
  expect_well_formed(page);
  for (const auto* mark : {"http:", "https:", "url(", "src="}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST(Report, NamesEveryTableOrWhyItHasNone) {
  const auto facts = read_html(page_of(input_of({made_record({})})));
  for (const auto& [name, spec] : tables::all()) {
    if (!spec.of_files && name != "runs") {
      EXPECT_THAT(facts.text, HasSubstr(name));
    }
  }
  EXPECT_THAT(facts.text, HasSubstr("had no target accuracy"));  // time_to_accuracy
}

TEST(Report, BeginsWithOutcomesAndTheResultAndFoldsPicturesOfSingleRuns) {
  auto input = small_input();
  for (auto& loaded : input.records) {
    loaded.record.telemetry.push_back({.end_s = 1, .duration_s = 1, .cpus = 2, .cpus_busy_s = 1});
    loaded.record.telemetry.push_back({.end_s = 2, .duration_s = 1, .cpus = 2, .cpus_busy_s = 2});
  }
  const auto page = page_of(input);
  const auto at = [&](const std::string& what) {
    EXPECT_THAT(page, HasSubstr(what));
    return page.find(what);
  };
  EXPECT_LT(at("<dt>Failed</dt><dd>1</dd>"), at("Predicted (1 epoch × N) and actual run time"));
  EXPECT_LT(at("Predicted (1 epoch × N) and actual run time"), at("id=\"results-runs\""));
  EXPECT_LT(at("id=\"results-runs\""), at("id=\"pictures-lab-1\""));
  EXPECT_LT(at("id=\"pictures-lab-1\""), at("id=\"pictures-losses-1\""));
  EXPECT_LT(at("id=\"pictures-losses-1\""), at("<summary>activity: "));
  EXPECT_LT(at("<summary>activity: "), at("id=\"pictures-activity-1\""));
  EXPECT_LT(at("id=\"pictures-activity-1\""), at("More tables</h2>"));
  EXPECT_EQ(page.find("Predicted (1 epoch × N) and actual run time"),
            page.rfind("Predicted (1 epoch × N) and actual run time"));  // once
}

TEST(Report, HasNoPictureOfOnePlace) {
  const auto page =
      page_of(input_of({made_record({.epochs = 1}), made_record({.allocation = "b"})}));
  EXPECT_THAT(page, Not(HasSubstr("id=\"pictures-losses")));  // one epoch
  EXPECT_THAT(page, Not(HasSubstr("id=\"pictures-batch")));   // one size
  EXPECT_THAT(page, HasSubstr("all values are at one place of an axis"));
}

TEST(Report, NamesWhatFailedWasTaintedOrCouldNotBeRead) {
  auto input = small_input();
  input.damaged.emplace_back("cut.h5: damaged: the file ends too early");
  const auto text = read_html(page_of(input)).text;
  EXPECT_THAT(text, HasSubstr("failed: out of memory"));
  EXPECT_THAT(text, HasSubstr("tainted: cpus: asked 2, got 1"));
  EXPECT_THAT(text, HasSubstr("cut.h5: damaged: the file ends too early"));
}

TEST(Report, NamesDisturbedRunsWithTheCause) {
  std::vector<record::Record> records;
  for (const double others_s : {0.1, 12.0}) {
    auto record = made_record(
        {.epochs = 2, .repeat = static_cast<std::int64_t>(records.size()), .source = "measured"});
    for (const auto& epoch : record.epochs) {
      auto& row = record.usage.emplace_back();
      row.epoch = epoch.epoch;
      row.start_s = epoch.start_s;
      row.duration_s = epoch.wall_s;
      row.covered_s = epoch.wall_s;
      row.cpus = 2;
      row.threads = 2;
      row.own_cpu_s = epoch.wall_s;
      row.other_cpu_s = others_s;
    }
    records.push_back(record);
  }
  const auto text = read_html(page_of(input_of(records))).text;
  EXPECT_THAT(text, HasSubstr("1 of 2 files are records that are complete"));
  EXPECT_THAT(text, HasSubstr("tables leave it out beside 1 undisturbed repeat"));
}

TEST(Report, SaysThatNothingIsWrong) {
  const auto text = read_html(page_of(input_of({made_record({.source = "measured"})}))).text;
  EXPECT_THAT(text, HasSubstr("None: every record is complete, comparable"));
}

TEST(Report, ShowsHostileTextAsText) {
  auto record = made_record({.epochs = 2, .source = "measured"});
  auto& header = record.header;
  header.point = hostile;
  header.experiment = hostile;
  header.allocation = hostile;
  header.job_id = hostile;
  header.tainted = hostile;
  header.tool_version = hostile;
  header.note = hostile;
  record.machines.front().host = hostile;
  record.machines.front().cpu_model = hostile;
  record.machines.front().libraries = hostile;
  record.parameters.push_back(parameter_row("model.text", hostile));
  record.parameters.push_back(parameter_row(hostile, hostile));
  auto failed = record;
  failed.header.outcome = "failed";
  failed.header.outcome_text = hostile;
  auto input = input_of({record, failed, made_record({})});
  input.request.paths = {hostile};
  input.damaged = {hostile};
  const auto page = page_of(input);
  expect_well_formed(page);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("\u202E")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("\\u202e"));
  EXPECT_EQ(read_html(page).tags.at("script"), 1);
}

TEST(Report, WithoutStepsSaysWhichTablesNeedThem) {
  auto input = small_input();
  input.without_steps = "too many steps";
  const auto text = read_html(page_of(input)).text;
  EXPECT_THAT(text, HasSubstr("needs the steps of the runs; too many steps"));
  EXPECT_THAT(text, HasSubstr("lab"));
}

TEST(Report, RepeatsARunByItsOptionsWithoutDefaults) {
  auto record = made_record({.epochs = 3, .batch = 128, .source = "measured"});
  record.parameters.push_back(parameter_row("model.depth", "4"));
  const auto text = read_html(page_of(input_of({record}))).text;
  EXPECT_THAT(text, HasSubstr("epochcast-train --batch=128 --epochs=3 --model.depth=4"));
}

class ReportProgram : public Program {
 protected:
  std::string output() const { return folder_ / "r.html"; }
};

TEST_F(ReportProgram, WritesThePageOfAFolder) {
  const auto result = analyze({"report", good(), "-o", output()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("2 records"));
  expect_well_formed(bytes_of(output()));
}

TEST_F(ReportProgram, NamesDamagedFilesAndExitsWithOne) {
  const auto result = analyze({"report", mixed(), "-o", output()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cut.h5"));
  EXPECT_THAT(read_html(bytes_of(output())).text, HasSubstr("cut.h5"));
}

TEST_F(ReportProgram, RefusesWhatItCannotRead) {
  const auto refused = [&](std::vector<std::string> words, const std::string& what) {
    words.insert(words.begin(), "report");
    words.insert(words.end(), {"-o", output()});
    const auto result = analyze(words);
    EXPECT_EQ(result.status, 2) << what;
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_FALSE(std::filesystem::exists(output()));
  };
  refused({}, "RECORDS... is missing");
  refused({folder_ / "nowhere"}, "nowhere");
  refused({good(), "--filter", "batch=7"}, "no record obeys");
  refused({good(), "--ledger", folder_ / "none.csv"}, "none.csv");
  set_bytes(folder_ / "no.csv", "not,a\nledger,x\n");
  refused({good(), "--ledger", folder_ / "no.csv"}, "no.csv");
}

TEST_F(ReportProgram, FindsTheLedgerBesideTheRecords) {
  write_records({made_record({})}, folder_ / "out/records");
  ledger::put_in_ledger(folder_ / "out/ledger.csv", {{.made_at = "2026-11-21T09:00:00+00:00",
                                                      .out = "out",
                                                      .allocation = "cpu2",
                                                      .point = "made.point",
                                                      .forecast_s = 10,
                                                      .outcome = ledger::Outcome::complete,
                                                      .actual_s = 11}});
  EXPECT_THAT(ledgers_beside({folder_ / "out/records"}),
              testing::ElementsAre(folder_ / "out/ledger.csv"));
  const auto result = analyze({"report", folder_ / "out/records", "-o", output()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(read_html(bytes_of(output())).text, HasSubstr("made.point"));
}

TEST_F(ReportProgram, KeepsNoMoreStepsThanItMay) {
  auto record = made_record({});
  for (std::int64_t i = 0; i < 4; ++i) {
    record.iterations.push_back(
        {.index = i, .start_s = 0.5 * static_cast<double>(i), .step_s = 0.5, .samples = 250});
  }
  write_records({record}, folder_ / "steps");
  const auto read = [&](std::size_t most) {
    return read_report_input(
        {.paths = {folder_ / "steps"}, .filters = {}, .ledgers = {}, .most_steps = most});
  };
  EXPECT_EQ(read(4).records.front().record.iterations.size(), 4);
  EXPECT_THAT(read(4).without_steps, IsEmpty());
  EXPECT_EQ(read(3).records.front().record.iterations.size(), 0);
  EXPECT_THAT(read(3).without_steps, HasSubstr("more than 3 steps"));
}

}  // namespace
}  // namespace epochcast::analysis
