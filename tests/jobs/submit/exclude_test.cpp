// Simulated records of failed and slow attempts, and the nodes of a fake Slurm.
#include "jobs/submit/exclude.hpp"

#include <gmock/gmock.h>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/record/json_lines.hpp"
#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

slurm::NodeState node_called(const std::string& name) {
  return {.name = name, .cpus = 4, .memory_mib = 8000, .partitions = {"p"}};
}

AllocationProfile auto_site() {
  AllocationProfile site{.name = "a"};
  site.asks.partition = "p";
  site.launch.exclude = "auto";
  return site;
}

nodes::NodeReport failed_on(const std::string& name, std::int64_t times) {
  return {.node = name, .in_a_row = times, .last_failure = "NODE_FAIL"};
}

const std::vector<slurm::Partition> site_partitions{{.name = "p", .kinds = {}}};
const std::vector<slurm::NodeState> three_nodes{node_called("n1"), node_called("n2"),
                                                node_called("n3")};

TEST(Exclude, LeavesOutNodesThatFailedWithALineForEach) {
  const auto found = exclusion_of(auto_site(), {failed_on("n1", 2), failed_on("n2", 1)},
                                  three_nodes, site_partitions);
  EXPECT_THAT(found.nodes, ElementsAre("n1"));
  EXPECT_THAT(found.lines,
              ElementsAre("a: leaves out n1: its last 2 attempts failed, the latest NODE_FAIL"));
  auto site = auto_site();
  site.launch.exclude_after = 3;
  EXPECT_THAT(exclusion_of(site, {failed_on("n1", 2)}, three_nodes, site_partitions).nodes,
              IsEmpty());
}

TEST(Exclude, KeepsAsManyNodesAsAJobNeeds) {
  auto site = auto_site();
  site.asks.nodes = 2;
  const auto found =
      exclusion_of(site, {failed_on("n1", 2), failed_on("n3", 2)}, three_nodes, site_partitions);
  EXPECT_THAT(found.nodes, IsEmpty());
  EXPECT_THAT(found.lines,
              ElementsAre("a: 'exclude: auto' leaves out no node: without n1, n3 there would be 1 "
                          "node for jobs of 2 nodes"));
}

TEST(Exclude, JoinsTheUsersOwnListAndRefusesAFile) {
  auto site = auto_site();
  site.sbatch = {"--exclude=n[2-3] -x n4"};
  auto nodes = three_nodes;
  nodes.push_back(node_called("n5"));
  EXPECT_THAT(exclusion_of(site, {failed_on("n1", 2)}, nodes, site_partitions).nodes,
              ElementsAre("n1", "n2", "n3", "n4"));
  EXPECT_THAT(exclusion_of(site, {failed_on("n1", 2)}, three_nodes, site_partitions).lines,
              ElementsAre(HasSubstr("leaves out no node")))
      << "the user's list counts too";
  const test::TempFolder folder;
  const auto profile = folder.write("c.yaml",
                                    "scheduler: slurm\nallocations:\n  a: {memory: 1G, time: 1h, "
                                    "exclude: auto, sbatch: [--exclude=/etc/bad]}\n");
  EXPECT_THAT(error_of([&] { read_cluster(profile); }),
              HasSubstr("'--exclude=/etc/bad' is a file, which cannot be joined"));
}

TEST(Exclude, CountsOnlyNodesThatCanHoldTheJob) {
  auto nodes = three_nodes;
  nodes[0].cpus = 1;
  nodes[1].runs_jobs = false;
  auto site = auto_site();
  site.asks.cpus = 2;
  EXPECT_THAT(exclusion_of(site, {failed_on("n3", 2)}, nodes, site_partitions).nodes, IsEmpty());
  EXPECT_THAT(exclusion_of(site, {failed_on("n2", 2)}, nodes, site_partitions).nodes,
              ElementsAre("n2"))
      << "it is down, but may be up when the job starts";
}

/// A site with three nodes.
class ExcludeTest : public test::CampaignTest {
 protected:
  ExcludeTest() : ledger_("EPOCHCAST_LEDGER", folder_ / "ledger.csv") {
    scheduler_.partitions = {true, "", slurm::parse_site("p*|1:00:00|4|8000|(null)|3|1|(null)\n")};
    for (const auto* name : {"n1", "n2", "n3"}) {
      scheduler_.cluster.nodes.push_back(
          {.name = name, .cpus = 4, .memory_mib = 8000, .partitions = {"p"}});
    }
    const auto cluster = folder_.write(
        "c.yaml",
        "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, time: 1h, exclude: auto}\n  b: "
        "{cpus: 2, memory: 1G, time: 1h}\n");
    generate({folder_ / "x.yaml", cluster, out_, {}, {}});
  }
  void write_failed(const std::string& out, const std::string& name,
                    std::chrono::system_clock::duration ago) const {
    record::Record record;
    record.header.source = "simulated";
    record.header.created_at = iso8601(std::chrono::system_clock::now() - ago);
    record.header.outcome = "lost";
    record.header.outcome_text = "NODE_FAIL";
    record.header.cause = "node_failure";
    record.allocation.push_back({"node_list", "", "n2", ""});
    std::string lines;
    record::append_line(lines, "header", record.header);
    record::append_line(lines, "allocation", record.allocation.front());
    folder_.write(out + "/records/" + name + ".jsonl", lines);
  }

  test::WithVariable ledger_;
};

TEST_F(ExcludeTest, SubmitReadsTheRecordsOfTheLastDays) {
  write_failed("out", "old", std::chrono::hours(24 * 8));
  write_failed("out", "new", std::chrono::hours(1));
  EXPECT_THAT(submit_all().notes, IsEmpty()) << "one of the two is too old";
  EXPECT_THAT(scheduler_.calls(), testing::Each(testing::Not(HasSubstr("--exclude"))));
}

TEST_F(ExcludeTest, SubmitPassesTheNodesOnForTheAllocationThatAsksForIt) {
  write_failed("out", "one", std::chrono::hours(2));
  write_failed("out/pilots", "two", std::chrono::hours(1));
  const auto report = submit_all();
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("a: leaves out n2: its last 2 attempts failed")));
  const auto without = testing::Not(HasSubstr("--exclude"));
  EXPECT_THAT(scheduler_.calls(), ElementsAre(HasSubstr("--exclude=n2 "),
                                              HasSubstr("--exclude=n2 "), without, without));
}

TEST_F(ExcludeTest, JobsWhoseNodeFailedBeforeARecordBeganCountToo) {
  scheduler_.failures = {{"8", wall_clock_s(), "n3"}, {"9", wall_clock_s(), "n3"}, {"7", 0, ""}};
  EXPECT_THAT(submit_all().notes,
              ElementsAre(testing::MatchesRegex("a: leaves out n3: its last 2 attempts failed, the "
                                                "latest .*: NODE_FAIL")));
}

TEST_F(ExcludeTest, TheLedgerNamesOtherFoldersOnTheSameCluster) {
  write_failed("elsewhere", "one", std::chrono::hours(2));
  write_failed("elsewhere", "two", std::chrono::hours(1));
  ledger::LedgerRow row{.made_at = "2026-11-21T09:00:00+00:00",
                        .out = folder_ / "elsewhere",
                        .cluster = "other",
                        .point = "x"};
  ledger::put_in_ledger(folder_ / "ledger.csv", {row});
  EXPECT_THAT(recent_nodes(OutFolder(out_), "c"), IsEmpty());
  row.cluster = "c";
  row.point = "y";
  ledger::put_in_ledger(folder_ / "ledger.csv", {row});
  EXPECT_EQ(recent_nodes(OutFolder(out_), "c").at(0).in_a_row, 2);
}

}  // namespace
}  // namespace epochcast::jobs
