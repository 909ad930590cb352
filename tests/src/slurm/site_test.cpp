#include "src/slurm/site.hpp"

#include <gtest/gtest.h>

namespace epochcast::slurm {
namespace {

TEST(Site, ReadsWhatConfigAndPartitionsSayOfSeveralPartitionsAndPreemption) {
  Site site{.partitions = {{.name = "long", .max_time_s = 3600, .kinds = {}},
                           {.name = "short", .max_time_s = 60, .kinds = {}}}};
  add_partition_limits(
      "PartitionName=short\n   PriorityTier=2 PreemptMode=OFF\n"
      "PartitionName=long\n   PriorityTier=1 PreemptMode=CANCEL\n",
      site.partitions);
  EXPECT_EQ(site.partitions[0].preempt_mode, "CANCEL");
  EXPECT_EQ(site.partitions[1].preempt_mode, "OFF");
  // As a real Slurm 22.05 prints it.
  add_config(
      "EnforcePartLimits       = ANY\nPreemptMode             = REQUEUE\n"
      "PreemptType             = preempt/partition_prio\n",
      site);
  EXPECT_TRUE(site.by_partition);
  EXPECT_EQ(bounding(site, {"long", "short"})->name, "long");
  add_config("EnforcePartLimits       = ALL\nPreemptType             = preempt/qos\n", site);
  EXPECT_FALSE(site.by_partition);
  EXPECT_EQ(bounding(site, {"long", "short"})->name, "short");
  EXPECT_EQ(bounding(site, {"none"}), nullptr);
}

}  // namespace
}  // namespace epochcast::slurm
