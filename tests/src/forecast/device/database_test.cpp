#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "src/base/core/error.hpp"
#include "src/forecast/device/device.hpp"
#include "src/forecast/device/match.hpp"

namespace epochcast::device {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Device> shipped() {
  return read_device_database(device_database_folder());
}

TEST(DeviceDatabase, GivesEveryFigureASource) {
  const auto database = shipped();
  ASSERT_GE(database.size(), 20u);
  for (const auto& device : database) {
    EXPECT_FALSE(device.label.empty()) << device.name;
    EXPECT_FALSE(device.names.empty()) << device.name;
    EXPECT_FALSE(device.memory_sizes_gb.empty()) << device.name;
    EXPECT_TRUE(device.figures.fp32_tflops.known()) << device.name;
    for_each_field<DeviceFigures>([&](const auto& field) {
      const Figure& figure = device.figures.*field.member;
      EXPECT_EQ(figure.known(), !figure.source.empty()) << device.name << " " << field.name;
    });
  }
}

/// Cards for servers have what a forecast by datasheets needs in every precision that they compute
/// in, so that none of their pairs is refused.
TEST(DeviceDatabase, HasRatesOfEveryServerCardForEveryPrecision) {
  const auto database = shipped();
  for (const auto* name : {"t4",
                           "v100_sxm2",
                           "v100_sxm3",
                           "a2",
                           "a10",
                           "a10g",
                           "a16",
                           "a30",
                           "a40",
                           "a100_sxm4_40gb",
                           "a800_sxm4_80gb",
                           "l4",
                           "l40",
                           "l40s",
                           "h100_sxm5",
                           "h100_nvl",
                           "h800_sxm5",
                           "h20",
                           "h200",
                           "gh200",
                           "b100",
                           "b200",
                           "gb200",
                           "mi100",
                           "mi210",
                           "mi250",
                           "mi250x",
                           "mi300a",
                           "mi300x",
                           "mi325x"}) {
    const auto& device = find_device(database, name);
    EXPECT_TRUE(device.figures.bandwidth_gb_s.known()) << name;
    EXPECT_TRUE(peak_for(device, "fp32").tflops.known()) << name;
    EXPECT_TRUE(peak_for(device, "fp16").tflops.known()) << name;
    const bool before_ampere = device.architecture == "sm_70" || device.architecture == "sm_75";
    EXPECT_EQ(peak_for(device, "bf16").tflops.known(), !before_ampere) << name;
  }
}

TEST(DeviceDatabase, DistinguishesTheThreeV100) {
  const auto database = shipped();
  EXPECT_EQ(find_device(database, "v100_pcie").figures.fp32_tflops.value, 14.0);
  EXPECT_EQ(find_device(database, "v100_sxm2").figures.fp32_tflops.value, 15.7);
  EXPECT_EQ(find_device(database, "v100s_pcie").figures.fp32_tflops.value, 16.4);
  EXPECT_EQ(find_device(database, "v100s_pcie").figures.fp64_tflops.value, 8.2);
}

TEST(DeviceDatabase, NamesTheNearestOfAnUnknownDevice) {
  const auto database = shipped();
  try {
    find_device(database, "v100_smx2");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown device 'v100_smx2'; did you mean 'v100_sxm2'?");
  }
}

struct BadFile {
  const char* text;
  const char* message;
};

TEST(DeviceDatabase, RefusesABadFileWithItsLine) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("epochcast-database-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::vector<BadFile> cases{
      {"lable: X\n", "x.yaml:1: unknown key 'lable'; did you mean 'label'?"},
      {"source: s\nfigures:\n  fp32_tflosp: 1\n",
       "x.yaml:3: unknown key 'fp32_tflosp'; did you mean 'fp32_tflops'?"},
      {"source: s\nfigures: {fp32_tflops: fast}\n",
       "x.yaml:2: found 'fast', expected a number above 0"},
      {"source: s\nfigures: {fp32_tflops: {value: 1, sauce: s}}\n",
       "x.yaml:2: unknown key 'sauce'; did you mean 'source'?"},
      {"source: s\nfigures: {fp32_tflops: {checked: false}}\n", "x.yaml:2: found no value"},
      {"source: s\nfigures: {fp32_tflops: {value: 1, checked: maybe}}\n",
       "x.yaml:2: found 'maybe', expected true or false"},
      {"figures: {fp32_tflops: 1}\n", "x.yaml:1: fp32_tflops has no source"},
      {"- a\n", "x.yaml:1: found a list, expected a device"}};
  for (const auto& bad : cases) {
    std::ofstream(folder / "x.yaml") << bad.text;
    try {
      read_device_database(folder);
      ADD_FAILURE() << "no error for " << bad.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), (folder / bad.message).string()) << bad.text;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(DeviceDatabase, TakesThePeakOfThePrecisionThatWasUsed) {
  const auto database = shipped();
  const auto peak = [&](const char* device, const char* precision) {
    const auto found = peak_for(find_device(database, device), precision);
    return std::pair(found.precision, found.tflops.value);
  };
  EXPECT_EQ(peak("a100_sxm4_40gb", "fp32"), std::pair(std::string("fp32"), 19.5));
  EXPECT_EQ(peak("a100_sxm4_40gb", "fp32+tf32-conv"), std::pair(std::string("tf32"), 156.0));
  EXPECT_EQ(peak("t4", "fp32+tf32-conv"), std::pair(std::string("fp32"), 8.1));  // it has no TF32
  EXPECT_EQ(peak("t4", "fp16"), std::pair(std::string("fp16"), 65.0));
  EXPECT_EQ(peak("p100_sxm2", "fp16"), std::pair(std::string("fp16"), 21.2));
  EXPECT_EQ(peak("h100_sxm5", "bf16"), std::pair(std::string("bf16"), 989.0));
  EXPECT_EQ(peak("t4", ""), std::pair(std::string("fp32"), 8.1));
  EXPECT_EQ(peak("a100_sxm4_40gb", ""), std::pair(std::string("tf32"), 156.0));
  EXPECT_FALSE(peak_for(find_device(database, "t4"), "bf16").tflops.known());
}

TEST(DeviceDatabase, NamesTheFiguresThatAreNotChecked) {
  const auto database = shipped();
  EXPECT_THAT(unchecked_figures(find_device(database, "t4")), IsEmpty());
  EXPECT_THAT(unchecked_figures(find_device(database, "rtx_2070")),
              testing::ElementsAre("fp16_tensor_tflops"));
}

struct Card {
  GpuTraits gpu;
  const char* device;
};

TEST(DeviceMatch, KnowsCardsByNameClockMemoryAndPower) {
  const auto database = shipped();
  constexpr std::int64_t mib = 1048576;
  const std::vector<Card> cards{
      {{"Tesla T4", 15360 * mib, 1590, 70}, "t4"},
      {{"T4", 0, 0, 0}, "t4"},
      {{"Tesla V100-SXM2-16GB", 16160 * mib, 1530, 300}, "v100_sxm2"},
      {{"Tesla V100-PCIE-32GB", 32510 * mib, 1380, 250}, "v100_pcie"},
      {{"Tesla V100S-PCIE-32GB", 32510 * mib, 1597, 250}, "v100s_pcie"},
      {{"V100", 32510 * mib, 1597, 250}, "v100s_pcie"},
      {{"RTX 2080Ti", 0, 0, 0}, "rtx_2080_ti"},
      {{"V100-SXM2", 0, 0, 0}, "v100_sxm2"},
      {{"v100", 0, 1530, 0}, "v100_sxm2"},
      {{"Tesla P100-PCIE-12GB", 12198 * mib, 1328, 250}, "p100_pcie"},
      {{"NVIDIA A100-SXM4-80GB", 81920 * mib, 1410, 400}, "a100_sxm4_80gb"},
      {{"NVIDIA A100 80GB PCIe", 81920 * mib, 1410, 300}, "a100_pcie_80gb"},
      {{"NVIDIA H100 80GB HBM3", 81559 * mib, 1980, 700}, "h100_sxm5"},
      {{"NVIDIA H100 PCIe", 81559 * mib, 1755, 350}, "h100_pcie"},
      {{"NVIDIA H200", 143771 * mib, 1980, 700}, "h200"},
      {{"NVIDIA L40S", 46068 * mib, 2520, 350}, "l40s"},
      {{"NVIDIA GeForce RTX 2080 Ti", 11264 * mib, 1545, 250}, "rtx_2080_ti"},
      {{"NVIDIA GeForce RTX 2080", 8192 * mib, 1710, 215}, "rtx_2080"},
      {{"NVIDIA RTX A4000", 16376 * mib, 1560, 140}, "rtx_a4000"},
      {{"NVIDIA A40", 46068 * mib, 1740, 300}, "a40"},
      {{"Quadro RTX 6000", 24220 * mib, 1770, 260}, "quadro_rtx_6000"},
      {{"NVIDIA RTX 6000 Ada Generation", 49140 * mib, 2505, 300}, "rtx_6000_ada"},
      {{"NVIDIA A800-SXM4-80GB", 81920 * mib, 1410, 400}, "a800_sxm4_80gb"},
      {{"NVIDIA H800", 81559 * mib, 0, 700}, "h800_sxm5"},
      {{"NVIDIA H20", 97871 * mib, 0, 0}, "h20"},
      {{"NVIDIA GH200 480GB", 97871 * mib, 1980, 0}, "gh200"},
      {{"NVIDIA H100 NVL", 95830 * mib, 1785, 400}, "h100_nvl"},
      {{"NVIDIA B100", 0, 0, 0}, "b100"},
      {{"NVIDIA GB200", 189471 * mib, 0, 0}, "gb200"},
      {{"NVIDIA L40", 46068 * mib, 2490, 300}, "l40"},
      {{"NVIDIA A2", 15356 * mib, 1770, 60}, "a2"},
      {{"NVIDIA A10G", 23028 * mib, 1710, 150}, "a10g"},
      {{"NVIDIA A16", 15356 * mib, 1755, 62.5}, "a16"},
      {{"Tesla V100-SXM3-32GB", 32510 * mib, 1597, 0}, "v100_sxm3"},
      {{"Quadro RTX 8000", 49152 * mib, 1770, 260}, "quadro_rtx_8000"},
      {{"NVIDIA GeForce RTX 3080", 10240 * mib, 1710, 320}, "rtx_3080"},
      {{"NVIDIA GeForce RTX 3080 Ti", 12288 * mib, 1665, 350}, "rtx_3080_ti"},
      {{"NVIDIA GeForce RTX 4080 SUPER", 16376 * mib, 0, 320}, "rtx_4080_super"},
      {{"NVIDIA GeForce RTX 5090", 32607 * mib, 0, 575}, "rtx_5090"},
      {{"AMD Instinct MI250", 65520 * mib, 1700, 0}, "mi250"},
      {{"AMD Instinct MI250X", 65520 * mib, 1700, 0}, "mi250x"},
      {{"AMD Instinct MI300A", 131072 * mib, 2100, 0}, "mi300a"},
      {{"AMD Instinct MI325X", 262144 * mib, 2100, 0}, "mi325x"},
      {{"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 97887 * mib, 2617, 600},
       "rtx_pro_6000"},
      {{"NVIDIA RTX PRO 6000 Blackwell Server Edition", 97887 * mib, 0, 600}, "rtx_pro_6000"},
      {{"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 97887 * mib, 2280, 300},
       "rtx_pro_6000_max_q"},
      {{"RTX PRO 6000 Max-Q", 0, 0, 0}, "rtx_pro_6000_max_q"},
      {{"NVIDIA RTX PRO 4000 Blackwell SFF Edition", 24467 * mib, 0, 70}, "rtx_pro_4000_sff"},
      {{"NVIDIA RTX PRO 5000 72GB Blackwell", 73400 * mib, 0, 300}, "rtx_pro_5000"},
      {{"NVIDIA GeForce RTX 4070 Ti SUPER", 16376 * mib, 0, 285}, "rtx_4070_ti_super"},
      {{"NVIDIA GeForce RTX 3060 Ti", 8192 * mib, 0, 200}, "rtx_3060_ti"},
      {{"Tesla K80", 11441 * mib, 875, 149}, "k80"},
      {{"Tesla T4", 15360 * mib, 1590, 50}, "t4"}};  // its power limit was lowered
  for (const auto& card : cards) {
    const auto match = match_device(database, card.gpu);
    ASSERT_NE(match.device, nullptr) << card.gpu.name << ": " << match.remark;
    EXPECT_EQ(match.device->name, card.device) << card.gpu.name;
    EXPECT_THAT(match.remark, IsEmpty()) << card.gpu.name;
  }
}

TEST(DeviceMatch, NamesTheCardsThatATypeMayMeanAndTheOneChosen) {
  const auto database = shipped();
  const auto match = match_device(database, {.name = "v100"});
  ASSERT_NE(match.device, nullptr);
  EXPECT_EQ(match.device->name, "v100_sxm2");
  EXPECT_EQ(match.others.size(), 2u);
  EXPECT_EQ(
      match.remark,
      "'v100' may be v100_pcie, v100_sxm2, v100s_pcie; taken as v100_sxm2: DGX machines hold the "
      "SXM2 module");
  EXPECT_THAT(match_device(database, {.name = "h100"}).remark, HasSubstr("the first of them"));
}

TEST(DeviceMatch, RefusesASliceOfACardAndAnUnknownOne) {
  const auto database = shipped();
  const auto slice = match_device(
      database, {.name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb", .memory_bytes = 5100273664});
  EXPECT_EQ(slice.device, nullptr);
  EXPECT_EQ(slice.remark,
            "'NVIDIA A100-SXM4-40GB MIG 1g.5gb' has 5.1 GB, which a100_sxm4_40gb does not have: a "
            "part of a card (MIG)?");
  for (const auto* name :
       {"NVIDIA GeForce RTX 3070 Laptop GPU", "Quadro RTX 5000 with Max-Q Design",
        "NVIDIA GeForce RTX 2070 SUPER", "NVIDIA GeForce RTX 5090 D", "NVIDIA RTX A5000 Embedded",
        "NVIDIA RTX PRO 5000 Blackwell Generation Laptop GPU", "Quadro P4000 Mobile"}) {
    const auto other = match_device(database, {.name = name});
    EXPECT_EQ(other.device, nullptr) << name;
    EXPECT_THAT(other.remark, HasSubstr("; it is another card than ")) << name;
  }
  EXPECT_EQ(match_device(database, {.name = "NVIDIA GeForce RTX 2070 SUPER"}).remark,
            "the device database has no device 'NVIDIA GeForce RTX 2070 SUPER'; it is another card "
            "than rtx_2070");
  const auto unknown = match_device(database, {.name = "T4G"});
  EXPECT_EQ(unknown.device, nullptr);
  EXPECT_EQ(unknown.remark, "the device database has no device 'T4G'");
}

}  // namespace
}  // namespace epochcast::device
