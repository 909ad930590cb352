// What is asked of the forecasts of waits.
#include "jobs/advise/queue_wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::jobs {
namespace {

using testing::ElementsAre;

TEST(QueueWaitTest, TranslatesTheRequestOfAnAllocation) {
  const std::vector partitions{
      slurm::Partition{.name = "teaching", .is_default = true, .kinds = {}}};
  AllocationProfile site;
  site.asks.nodes = 2;
  site.asks.tasks_per_node = 4;
  site.asks.cpus = 3;
  site.asks.gpus = 1;
  site.asks.gpu = "t4";
  site.asks.memory = {8LL << 30};
  const auto request = request_of(site, 600, partitions);
  EXPECT_THAT(request.partitions, ElementsAre("teaching"));
  EXPECT_EQ(request.total.cpus, 24);
  EXPECT_EQ(request.total.gpus, 8);
  EXPECT_EQ(request.total.memory_mib, 2 * 8192);
  EXPECT_EQ(request.gpu, "t4");
  site.launch.gpu_flag = "constraint";
  EXPECT_EQ(request_of(site, 600, partitions).features, "t4");
}

}  // namespace
}  // namespace epochcast::jobs
