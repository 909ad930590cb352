#include "src/slurm/accounting_cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::slurm {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(AccountingCells, ReadTimes) {
  EXPECT_THAT(parse_elapsed_s("00:01:30"), Optional(90.0));
  EXPECT_THAT(parse_elapsed_s("2-03:04:05"), Optional(2 * 86400.0 + 3 * 3600 + 4 * 60 + 5));
  EXPECT_THAT(parse_elapsed_s("01:30.250"), Optional(90.25)) << "minutes, as for TotalCPU";
  EXPECT_THAT(parse_elapsed_s("1-00:00:00.5"), Optional(86400.5));
  for (const auto* text : {"", "90", "INVALID", "00:xx:00", "00:01:30.", "-00:01:00", "Unknown"}) {
    EXPECT_THAT(parse_elapsed_s(text), Eq(std::nullopt)) << text;
  }
}

TEST(AccountingCells, ReadTimeLimits) {
  EXPECT_THAT(parse_limit_s("1-00:00:00"), Optional(86400.0));
  EXPECT_THAT(parse_limit_s("00:30:00"), Optional(1800.0));
  EXPECT_TRUE(std::isinf(parse_limit_s("UNLIMITED").value()));
  EXPECT_THAT(parse_limit_s("Partition_Limit"), Eq(std::nullopt));
  EXPECT_THAT(parse_limit_s(""), Eq(std::nullopt));
}

TEST(AccountingCells, ReadStamps) {
  EXPECT_THAT(parse_stamp_s("1970-01-02T00:00:01"), Optional(86401.0));
  EXPECT_THAT(parse_stamp_s("2026-11-21T02:08:52"), Optional(1795226932.0));
  EXPECT_THAT(parse_stamp_s("1795226932"), Optional(1795226932.0)) << "SLURM_TIME_FORMAT=%s";
  for (const auto* text :
       {"2026-11-21 02:08:52", "2026-11-21T02:08:52+0100", "2026-11-21T02:08:52-08:00",
        "2026-11-21 02:08:52 +01:00", "2026-11-21T02:08:52Z"}) {
    EXPECT_THAT(parse_stamp_s(text), Optional(1795226932.0)) << text;
  }
  EXPECT_THAT(parse_stamp_s("2026-11-21 02:08"), Optional(1795226880.0));
  EXPECT_THAT(parse_stamp_s("2026-11-21T02:08+0100"), Optional(1795226880.0));
  for (const auto* text :
       {"2026-13-01T00:00:00", "2026-02-30T00:00:00", "02:08:52", "Ystday 10:00", "28 Mar 11:00",
        "2026-11-21T02:08:52+1", "2026-11-21", "21/11/2026 02:08", "2026-11-21T02:08:52-"}) {
    EXPECT_THAT(parse_stamp_s(text), Eq(std::nullopt)) << text;
    EXPECT_FALSE(is_stamp(text)) << text;
  }
  for (const auto* text : {"", "Unknown", "None"}) {
    EXPECT_THAT(parse_stamp_s(text), Eq(std::nullopt)) << text;
    EXPECT_TRUE(is_stamp(text)) << text;
  }
}

TEST(AccountingCells, ReadResources) {
  const auto tres = parse_tres("billing=4,cpu=4,gres/gpu:t4=1,gres/gpu=1,mem=8G,node=2");
  EXPECT_EQ(tres.nodes, 2);
  EXPECT_EQ(tres.cpus, 4);
  EXPECT_EQ(tres.gpus, 1);
  EXPECT_EQ(tres.gpu, "t4");
  EXPECT_EQ(parse_tres("cpu=2,gres/gpu=3").gpus, 3);
  EXPECT_EQ(parse_tres("gres/gpu:v100=2,gres/gpu:t4=1").gpus, 3) << "without the total";
  EXPECT_EQ(parse_tres("gres/gpu:v100=2,gres/gpu:t4=1").gpu, "t4+v100");
  EXPECT_EQ(parse_tres("cpu=-4,node=99999999999999999999,=,x").cpus, 0);
}

TEST(AccountingCells, FindTheScriptAmongOptions) {
  EXPECT_EQ(script_of("sbatch -t 60 --mem=4G train.sh --epochs 10"), "train.sh --epochs 10");
  EXPECT_EQ(script_of("sbatch -t 90 --dependency afterok:17 train.sh --epochs 10"),
            "train.sh --epochs 10");
  EXPECT_EQ(script_of("/usr/bin/sbatch -n4 -Q --exclusive --array=0-3 run.sh a b"), "run.sh a b");
  EXPECT_EQ(script_of("sbatch --requeue --kill-on-invalid-dep=yes --nice run.sh"), "run.sh");
  EXPECT_EQ(script_of("sbatch -t 5 --wrap python3 train.py -n 3"), "python3 train.py -n 3");
  EXPECT_EQ(script_of("sbatch --wrap=hostname"), "hostname");
  EXPECT_EQ(script_of("sbatch -J my big job -t 5 run.sh", "my big job"), "run.sh");
  EXPECT_EQ(script_of("sbatch --job-name=my job run.sh", "my job"), "run.sh");
  EXPECT_EQ(script_of("srun -n 2 ./train --steps 5"), "./train --steps 5");
  EXPECT_EQ(script_of("salloc -n1"), "");
  EXPECT_EQ(script_of("sbatch"), "") << "the script came from standard input";
  EXPECT_EQ(script_of(""), "");
}

TEST(AccountingCells, ReadJobIds) {
  EXPECT_EQ(parse_job_id("123")->job, "123");
  EXPECT_EQ(parse_job_id("123_4")->job, "123_4");
  EXPECT_TRUE(parse_job_id("123_4.batch")->is_step);
  EXPECT_EQ(parse_job_id("123_4.batch")->job, "123_4");
  EXPECT_EQ(parse_job_id("123+1.0")->job, "123");
  EXPECT_TRUE(parse_job_id("123+1.0")->is_step);
  EXPECT_TRUE(parse_job_id("123+1")->is_component);
  EXPECT_FALSE(parse_job_id("123+0")->is_component);
  EXPECT_EQ(parse_job_id("123_[4-9%2]")->job, "123_[4-9%2]");
  for (const auto* text : {"", "abc", "12a", "123_", "123_x", "123.", "123+", "+1", "1 2"}) {
    EXPECT_EQ(parse_job_id(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace epochcast::slurm
