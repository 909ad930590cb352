// Several points in one job: which ones, what its script does, and what the commands say of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <ctime>

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/ledger/margin.hpp"
#include "jobs/script/pack_script.hpp"
#include "jobs/submit/fill_packs.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/fake_slurm.hpp"

namespace epochcast::jobs::pack_test {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

AllocationProfile site_of(const std::string& keys) {
  return cluster_from(run::yaml::parse_text("scheduler: slurm\nallocations:\n  a: {" + keys + "}\n",
                                            "/p/site.yaml"))
      .allocations.front();
}

std::vector<std::vector<std::string>> names(const std::vector<FilledPack>& packs) {
  std::vector<std::vector<std::string>> names;
  for (const auto& pack : packs) {
    auto& points = names.emplace_back();
    for (const auto& point : pack.points) {
      points.push_back(point.point);
    }
  }
  return names;
}

TEST(FillPacks, WithoutForecastsDividesTheirNumber) {
  const auto site = site_of("memory: 1G, time: 1h, pack: {points: 3}");
  const auto packs = fill_packs({{"a"}, {"b"}, {"c"}, {"d"}}, site);
  EXPECT_THAT(names(packs), ElementsAre(ElementsAre("a", "c"), ElementsAre("b", "d")));
  EXPECT_FALSE(packs[0].limit) << "the allocation's";
}

TEST(FillPacks, ByForecastDividesTheTimeLongestFirstAndSetsTheLimit) {
  const auto site = site_of("memory: 1G, time: 2h, pack: {points: 4}");
  const auto packs = fill_packs(
      {{"a", 600, 660}, {"b", 1200, 1300}, {"c", 1800, 2000}, {"d", 300, 330}, {"e"}}, site);
  EXPECT_THAT(names(packs), ElementsAre(ElementsAre("c", "b", "a", "d"), ElementsAre("e")));
  ASSERT_TRUE(packs[0].limit);
  // 3900 s and 1.645 times the root of the sum of the squared deviations, 119 s; then 10 %.
  EXPECT_NEAR(pack_needs_s(packs[0].points, 1), 4096, 2);
  EXPECT_EQ(packs[0].limit->value, 76 * 60);
  EXPECT_LT(packs[0].limit->value, 1.1 * (660 + 1300 + 2000 + 330)) << "not the sum of upper ends";
}

TEST(FillPacks, NoJobHasMoreThanItsAllocationsTimeAllowsUnlessOnePointDoes) {
  const auto site = site_of("memory: 1G, time: 1h, pack: {points: 8}");
  const auto packs = fill_packs(
      {{"a", 1500, 1600}, {"b", 1500, 1600}, {"c", 1500, 1600}, {"d", 9000, 9100}}, site);
  EXPECT_THAT(names(packs), ElementsAre(ElementsAre("d"), ElementsAre("a", "b"), ElementsAre("c")));
  EXPECT_EQ(packs[0].limit->value, 3600);
  EXPECT_EQ(names(fill_packs({{"a", 1500, 1600}, {"b", 1500, 1600}, {"c", 1500, 1600}},
                             site_of("memory: 1G, time: 1h, pack: {points: 8, parallel: 3}")))
                .size(),
            1U)
      << "they run at the same time";
}

TEST(Pack, AsksForAsMuchAsThePointsThatRunTogether) {
  const auto site =
      site_of("memory: 3G, time: 1h, cpus: 2, gpus: 1, gpu: t4, pack: {points: 8, parallel: 4}");
  const auto job = packed(site).asks;
  EXPECT_EQ(run::tasks_of(job) * job.cpus, 8);
  EXPECT_EQ(job.memory.value, 12LL << 30);
  EXPECT_EQ(run::gpus_of(job), 4);
  EXPECT_EQ(run::gpus_of(packed(site_of("memory: 3G, time: 1h, gpus: 1, pack: {points: 8, "
                                        "parallel: 4, per: shared_gpu}"))
                             .asks),
            1);
}

TEST(Pack, ThatNoJobCanRunIsRefused) {
  const std::string head = "/p/site.yaml:3: a: ";
  EXPECT_EQ(error_of([] { site_of("memory: 1G, time: 1h, pack: {points: 2, parallel: 3}"); }),
            head + "pack.parallel: found 3, expected at most points, 2");
  EXPECT_EQ(error_of([] { site_of("memory: 1G, time: 1h, nodes: 2, pack: {points: 2}"); }),
            head + "pack: expected an allocation of one node of Slurm, without gres");
  EXPECT_THAT(error_of([] {
                site_of("memory: 1G, time: 1h, gpus: 1, pack: {points: 2, parallel: 2, per: node}");
              }),
              HasSubstr("pack.per: found node, but the allocation has GPUs"));
  EXPECT_THAT(error_of([] { site_of("memory: 1G, time: 1h, pack: {point: 2}"); }),
              HasSubstr("pack: unknown key 'point'; did you mean 'points'?"));
}

TEST(Pack, AnExperimentReplacesWhatTheProfileSays) {
  const auto applied = [](const std::string& profile, const std::string& pack) {
    auto cluster = cluster_from(run::yaml::parse_text(profile, "/p/site.yaml"));
    apply({.retry = {}, .pack = run::yaml::parse_text(pack, "x.yaml")}, cluster);
    return cluster.allocations.front().pack;
  };
  const std::string slurm =
      "scheduler: slurm\nallocations: {a: {memory: 1G, time: 1h, pack: {points: 8, parallel: 2}}}";
  EXPECT_EQ(applied(slurm, "{points: 4}").points, 4);
  EXPECT_EQ(applied(slurm, "{points: 4}").parallel, 2) << "of the profile";
  EXPECT_FALSE(applied(slurm, "none").is_used());
  EXPECT_FALSE(applied("scheduler: local\nallocations: {a: {cpus: 1}}", "{points: 4}").is_used())
      << "points run one after the other there";
  EXPECT_EQ(error_of([&] { applied(slurm, "{points: 1}"); }),
            "x.yaml:1: a: pack.parallel: found 2, expected at most points, 1");
}

/// A trainer of the length, and with the end, that its parameter `epochs` says.
const char* const trainer = R"sh(#!/bin/bash
for word in "$@"; do
  case $word in --point=*) point=${word#*=} ;; --epochs=*) epochs=${word#*=} ;; --records=*) records=${word#*=} ;; esac
done
[ -n "${records:-}" ] || exit 0
record() { printf '{"table":"header","schema_version":1,"created_at":"%s","outcome":"%s","outcome_text":"%s","point":"%s","allocation":"a","job_id":"%s"}\n' \
  "$(date +%FT%T%:z)" "$1" "$2" "$point" "$SLURM_JOB_ID" >>"$records/$point-$SLURM_JOB_ID.jsonl"; }
trap 'record stopped "by a signal"; exit 75' USR1
record running ""
echo "pack $EPOCHCAST_PACK exact $SLURM_EXACT memory $SLURM_MEM_PER_NODE" >>"$FAKE/seen"
: >"$FAKE/now/$point"
case $epochs in
  2) rm "$FAKE/now/$point"; record failed "told to"; exit 1 ;;
  3) rm "$FAKE/now/$point"; echo 'srun: error: n1: task 0: Out Of Memory'; kill -KILL $$ ;;
  4) for ((i = 0; i < 100; ++i)); do sleep 0.1; done ;;
esac
sleep 0.5
ls "$FAKE/now" | wc -l >>"$FAKE/together"
rm "$FAKE/now/$point"
record complete ""
)sh";

process::CommandResult command(std::vector<std::string> words) {
  words.insert(words.begin(), EPOCHCAST_BINARY_DIR "/epochcast-jobs");
  return process::run_command(words, 60);
}

class PackTest : public test::SubmitTest {
 protected:
  PackTest() {
    trainer_ = folder_.write("trainer/epochcast-train", trainer, true);
    folder_.write("bin/srun", "#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec \"$@\"\n",
                  true);
    fs::create_directories(folder_ / "fake/now");
    packs("{points: 8, parallel: 2}", "1, 2, 3, 5, 6");
  }

  void packs(const std::string& pack, const std::string& epochs, const std::string& more = "") {
    folder_.write("c.yaml",
                  "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, time: 1h, trainer: " +
                      trainer_ + ", pack: " + pack + "}\n");
    make("name: x\nsweep: {epochs: [" + epochs + "]}\n" + more);
  }

  /// What the only job of the folder printed. `end_s`: seconds until its limit.
  process::CommandResult run(const std::string& job = "1", long end_s = 3600) const {
    const auto token = Journal(out_ + "/submissions.jsonl").submissions().at(job).token;
    return process::run_command(
        {"bash", out_ + "/arrays/" + token + ".sbatch"}, 60,
        {{"SLURM_JOB_ID", job},
         {"SLURM_CPUS_PER_TASK", "1"},
         {"SLURM_MEM_PER_NODE", "2048"},
         {"SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + end_s)}});
  }

  std::map<std::string, std::string> states() const {
    std::map<std::string, std::string> states;
    for (const auto& point : status(out_).points) {
      states[point.point] =
          std::string(to_text(point.state)) + (point.reason.empty() ? "" : ": " + point.reason);
    }
    return states;
  }

  void job_is(const std::string& state) const {
    const auto token = Journal(out_ + "/submissions.jsonl").submissions().at("1").token;
    folder_.write("fake/queue", "1|1|" + state + "|1:05|None|x|" + token + "\n");
  }

  std::string trainer_;
};

TEST_F(PackTest, OneJobRunsAllPointsAndOneThatFailsEndsNoOther) {
  const auto report = submit_all();
  EXPECT_EQ(report.submitted, 5U);
  EXPECT_EQ(taken(), 1);
  EXPECT_THAT(read_file(folder_ / "fake/calls"), HasSubstr("--job-name=epochcast-"));
  job_is("RUNNING");
  EXPECT_EQ(states()[points_[0]], "pending: its job runs others first");
  const auto job = run();
  EXPECT_EQ(job.status, 1) << job.out << job.err;
  for (const auto& point : points_) {
    EXPECT_THAT(job.out, HasSubstr("began " + point));
    EXPECT_TRUE(fs::exists(out_ + "/logs/" + point + "-1.out"));
  }
  EXPECT_EQ(states()[points_[0]], "complete");
  EXPECT_EQ(states()[points_[1]], "failed: told to") << "although its job still runs";
  EXPECT_EQ(states()[points_[2]], "lost: OUT_OF_MEMORY");
  EXPECT_EQ(status(out_).points[2].cause, run::FailureCause::out_of_memory);
  EXPECT_EQ(states()[points_[4]], "complete");
  EXPECT_THAT(read_file(folder_ / "fake/seen"), HasSubstr("exact 1 memory 1024"));
  EXPECT_EQ(submit_all().submitted, 0U);
  EXPECT_EQ(command({"resubmit", out_, "--failed", "--missing"}).status, 0);
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[1]), "2");
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[2]), "2") << "packed again";
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").jobs().at(points_[0]), "1");
}

TEST_F(PackTest, APointThatNeedsOtherMemoryOrNodesHasAJobOfItsOwn) {
  test::SchedulerInMemory scheduler;
  const InPlaceOfSlurm in_place(scheduler);
  std::ignore = submit({.out = out_,
                        .filters = {},
                        .points = {},
                        .memory = {{points_[1], {2LL << 30}}},
                        .exclude = {{points_[2], "n1"}}});
  EXPECT_EQ(scheduler.taken(), 3);
  EXPECT_THAT(scheduler.calls(), testing::Contains(HasSubstr("--mem=2G")));
  EXPECT_THAT(scheduler.calls(), testing::Contains(HasSubstr("--exclude=n1")));
}

TEST_F(PackTest, AnExperimentCanPackToo) {
  const auto experiment =
      folder_.write("own.yaml", "name: own\nsweep: {epochs: [1, 5]}\npack: {points: 2}\n");
  const auto cluster = folder_.write(
      "own_c.yaml", "scheduler: slurm\nallocations: {a: {cpus: 1, memory: 1G, time: 1h}}\n");
  generate({experiment, cluster, folder_ / "own", {}, {}});
  EXPECT_EQ(submit({.out = folder_ / "own", .filters = {}, .points = {}}).jobs.size(), 1U);
}

TEST_F(PackTest, AServiceIsNotPacked) {
  const auto experiment = folder_.write(
      "s.yaml",
      "name: s\ntask: serve\nmodel: distilbert\nload: {arrivals: closed, stages: '1:10s'}\n");
  const auto refusal = error_of([&] {
    generate({experiment, folder_ / "c.yaml", folder_ / "served", {}, {}});
  });
  EXPECT_THAT(refusal, HasSubstr("a: a service or a stream cannot be packed"));
  EXPECT_EQ(
      error_of([&] {
        generate(
            {experiment, folder_ / "c.yaml", folder_ / "served", {}, {}, {{"a.pack", "none"}}});
      }),
      "");
}

TEST_F(PackTest, NoMoreThanParallelRunAtATime) {
  packs("{points: 8, parallel: 2}", "5, 6, 7, 8, 9");
  submit_all();
  EXPECT_EQ(run().status, 0);
  const auto together = split(trim(read_file(folder_ / "fake/together")), '\n');
  EXPECT_EQ(together.size(), 5U);
  EXPECT_EQ(std::ranges::max(together), "2");
}

TEST_F(PackTest, ThoseThatMayNotEndInTimeAreSubmittedAgain) {
  submit_all();
  const auto token = Journal(out_ + "/submissions.jsonl").submissions().at("1").token;
  folder_.write("out/arrays/" + token + ".points", points_[0] + " 900\n" + points_[3] + " 900\n" +
                                                       points_[4] + " 900\n" + points_[2] + " 5\n" +
                                                       points_[1] + " 900\n");
  const auto job = run("1", 600);
  EXPECT_EQ(job.status, 1) << job.out << job.err;
  EXPECT_THAT(job.out, HasSubstr("not begun here: " + points_[4] + " " + points_[1]));
  EXPECT_EQ(taken(), 2) << "by the ending job";
  EXPECT_THAT(Journal(out_ + "/submissions.jsonl").submissions().at("2").points,
              ElementsAre(points_[1], points_[4]));
  EXPECT_EQ(states()[points_[4]], "pending: Priority");
  EXPECT_EQ(submit_all().submitted, 0U);
}

TEST_F(PackTest, ANewerProgramPacksTheScriptsOfAnOlderOne) {
  packs("{points: 8, parallel: 2}", "1, 6");
  const auto current = out_ + "/scripts/" + shell_file_name();
  const auto older = folder_.write("out/scripts/epochcast-older.sh",
                                   read_file(current) + "echo older functions\n");
  fs::remove(current);
  for (const auto& point : points_) {
    const auto script = out_ + "/scripts/" + point + ".sbatch";
    auto text = read_file(script);
    const auto name = shell_file_name();
    write_file(script, text.replace(text.find(name), name.size(), "epochcast-older.sh"));
  }
  submit_all();
  const auto job = run();
  EXPECT_EQ(job.status, 0) << job.out << job.err;
  for (const auto& point : points_) {
    EXPECT_THAT(read_file(out_ + "/logs/" + point + "-1.out"), HasSubstr("older functions"));
  }
}

TEST_F(PackTest, ASignalReachesThoseThatRunAndBeginsNoOther) {
  packs("{points: 8, parallel: 2}", "4, 14, 24");
  folder_.write("trainer/epochcast-train",
                std::string(trainer).replace(std::string(trainer).find("  4)"), 4, "  *)"), true);
  submit_all();
  const auto path = out_ + "/arrays/" +
                    Journal(out_ + "/submissions.jsonl").submissions().at("1").token + ".sbatch";
  const auto job = process::run_command(
      {"bash", "-c",
       "bash " + path +
           " & pid=$!; until [ \"$(ls $FAKE/now | wc -l)\" = 2 ]; do sleep 0.1; done; "
           "kill -USR1 $pid; wait $pid"},
      60,
      {{"SLURM_JOB_ID", "1"},
       {"SLURM_CPUS_PER_TASK", "1"},
       {"SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600)}});
  EXPECT_EQ(job.status, 75) << job.out << job.err;
  EXPECT_EQ(taken(), 1) << "it was cancelled, and submits nothing";
  EXPECT_EQ(states()[points_[0]], "stopped: by a signal");
  EXPECT_EQ(states()[points_[1]], "stopped: by a signal");
  EXPECT_EQ(states()[points_[2]], "new");
}

TEST_F(PackTest, CancelEndsAPointAloneAndOneThatHasNotBegunIsLeftOut) {
  packs("{points: 8, parallel: 1}", "4, 5, 6", "retry: {timeout: resume, failed: resume}\n");
  submit_all();
  job_is("RUNNING");
  const auto later = command({"cancel", out_, "--filter", "epochs=5"});
  EXPECT_EQ(later.status, 0) << later.err;
  EXPECT_EQ(later.out, "1 " + points_[1] + " was pending; its job goes on with others\n");
  EXPECT_THAT(later.err, HasSubstr("0 jobs and 1 point of jobs that go on cancelled"));
  EXPECT_EQ(states()[points_[1]], "pending: is cancelled: its job leaves it out");
  const auto path = out_ + "/arrays/" +
                    Journal(out_ + "/submissions.jsonl").submissions().at("1").token + ".sbatch";
  const auto job = process::run_command(
      {"bash", "-c",
       "bash " + path + " & pid=$!; until [ -e $FAKE/now/" + points_[0] +
           " ]; do sleep 0.1; done; " EPOCHCAST_BINARY_DIR "/epochcast-jobs cancel " + out_ +
           " --filter epochs=4; wait $pid"},
      60,
      {{"SLURM_JOB_ID", "1"},
       {"SLURM_CPUS_PER_TASK", "1"},
       {"SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600)}});
  EXPECT_EQ(job.status, 75) << job.out << job.err;
  EXPECT_THAT(job.out, HasSubstr("1 " + points_[0] + " was running, saves and stops; its job"));
  EXPECT_EQ(states()[points_[0]], "stopped: by a signal (CANCELLED)");
  EXPECT_EQ(states()[points_[1]], "missing: CANCELLED");
  EXPECT_EQ(states()[points_[2]], "complete");
  EXPECT_EQ(taken(), 1) << "what somebody cancelled is not submitted again";
  EXPECT_EQ(command({"resubmit", out_, "--missing"}).status, 0);
  EXPECT_EQ(taken(), 2) << "but on request";
}

TEST_F(PackTest, ThePackSubmitsAgainWhatRetrySaysAndNothingThatHasNotBegun) {
  folder_.write("bin/squeue", "#!/bin/bash\n[[ \"$*\" == *-s* ]] || cat \"$FAKE/queue\"\n", true);
  packs("{points: 8, parallel: 1}", "2, 5, 6", "retry: {failed: restart, attempts: 2}\n");
  submit_all();
  job_is("RUNNING");
  const auto job = run();
  EXPECT_EQ(job.status, 1) << job.out << job.err;
  EXPECT_EQ(taken(), 2) << job.out << job.err;
  EXPECT_EQ(Journal(out_ + "/submissions.jsonl").submissions().at("2").points,
            std::vector<std::string>{points_[0]});
  EXPECT_EQ(states()[points_[2]], "complete");
}

TEST_F(PackTest, CancelEndsAJobOfWhichAllPointsAreCancelled) {
  submit_all();
  const auto cancelled = [&] {
    const Journal journal(out_ + "/submissions.jsonl");
    return std::ranges::count_if(points_, [&](const auto& p) { return journal.is_cancelled(p); });
  };
  folder_.write("bin/scancel", "#!/bin/bash\nexit 1\n", true);
  EXPECT_EQ(command({"cancel", out_}).status, 1);
  EXPECT_EQ(cancelled(), 0) << "Slurm refused it";
  folder_.write("bin/scancel", "#!/bin/bash\necho \"$*\" >>\"$FAKE/cancelled\"\n", true);
  const auto all = command({"cancel", out_});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.err, HasSubstr("1 job cancelled"));
  EXPECT_EQ(read_file(folder_ / "fake/cancelled"), "1\n");
  EXPECT_EQ(cancelled(), 5);
  const auto token = Journal(out_ + "/submissions.jsonl").submissions().at("1").token;
  write_file(OutFolder(out_).ended(token), points_[0] + " 75\n");
  EXPECT_EQ(states()[points_[0]], "missing: CANCELLED") << "it ended before its record began";
}

/// Of 100 s for the first point, 200 s for the second, ..., each within 10 %.
std::vector<ledger::LedgerRow> forecasts(const std::string& out,
                                         const std::vector<std::string>& points, Seconds lead) {
  std::vector<ledger::LedgerRow> rows;
  for (const auto& point : points) {
    ledger::LedgerRow row{.out = out, .point = point};
    const double forecast_s = 100.0 * static_cast<double>(rows.size() + 1);
    set_forecast(row, {forecast_s, {}, {0.9 * forecast_s, 1.1 * forecast_s}});
    row.needed_s = 1.1 * forecast_s + margin_s(1.1 * forecast_s, lead);
    rows.push_back(row);
  }
  return rows;
}

TEST_F(PackTest, TheLimitLeavesTimeForTheSignalOfTheProgram) {
  packs("{points: 3}", "1, 5, 6, 7");
  auto origin = read_file(out_ + "/generate.json");
  origin.replace(origin.find("0.0", origin.find("\"checkpoint_lead_s\"")), 3, "600.0");
  write_file(out_ + "/generate.json", origin);
  put_in_ledgers(OutFolder(out_), forecasts(out_, points_, {600}), [](const std::string&) {});
  test::SchedulerInMemory scheduler;
  const InPlaceOfSlurm in_place(scheduler);
  submit_all();
  EXPECT_THAT(scheduler.calls(), testing::Contains(HasSubstr("--time=0-00:20:00")))
      << "535 s, 600 s and a minute";
}

TEST_F(PackTest, AForecastFillsTheJobAndLimitsIt) {
  packs("{points: 3}", "1, 5, 6, 7");
  put_in_ledgers(OutFolder(out_), forecasts(out_, points_, {120}), [](const std::string&) {});
  test::SchedulerInMemory scheduler;
  const InPlaceOfSlurm in_place(scheduler);
  submit_all();
  EXPECT_EQ(scheduler.taken(), 2);
  const Journal journal(out_ + "/submissions.jsonl");
  EXPECT_THAT(journal.submissions().at("1").points, ElementsAre(points_[3], points_[0]));
  EXPECT_THAT(journal.submissions().at("2").points, ElementsAre(points_[2], points_[1]));
  EXPECT_THAT(scheduler.calls(), testing::Contains(HasSubstr("--time=0-00:12:00")));
  EXPECT_EQ(read_file(out_ + "/arrays/" + journal.submissions().at("1").token + ".points"),
            points_[3] + " 440\n" + points_[0] + " 110\n");
}

TEST_F(PackTest, AForecastOfTheMemoryLowersThatOfTheJob) {
  packs("{points: 2, parallel: 2}", "1, 5, 6, 7, 8");
  auto rows = forecasts(out_, {points_.begin(), points_.begin() + 4}, {120});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].memory_asked_bytes = static_cast<double>((256LL + 64 * static_cast<long>(i)) << 20);
  }
  put_in_ledgers(OutFolder(out_), rows, [](const std::string&) {});
  test::SchedulerInMemory scheduler;
  const InPlaceOfSlurm in_place(scheduler);
  submit_all();
  const Journal journal(out_ + "/submissions.jsonl");
  std::map<std::string, std::string> memory;  // by the first point of the job
  for (std::size_t i = 0; i < scheduler.requests.size(); ++i) {
    memory[journal.submissions().at(std::to_string(i + 1)).points.front()] =
        scheduler.requests[i].memory;
  }
  EXPECT_EQ(memory.at(points_[3]), "mem=896M") << "twice that of the larger of its two";
  EXPECT_EQ(memory.at(points_[2]), "mem=768M");
  EXPECT_EQ(memory.at(points_[4]), "") << "its forecast is not known";
  EXPECT_EQ(read_file(out_ + "/claims/" + points_[2] + ".memory"), "384M\n");
}

}  // namespace
}  // namespace epochcast::jobs::pack_test
