#include "src/measure/operators/roofline.hpp"

#include <gtest/gtest.h>

namespace epochcast::operators {
namespace {

constexpr Roof roof{.product_flop_s = 100e9, .convolution_flop_s = 50e9, .byte_s = 10e9};

record::Operator worked(double flops, double convolution_flops, double bytes, double work_s) {
  record::Operator row;
  row.flops = flops;
  row.convolution_flops = convolution_flops;
  row.bytes = bytes;
  row.work_s = work_s;
  return row;
}

TEST(Roofline, GivesAchievedRatesAndTheTimeAtTheRoof) {
  const auto placed = on_roof(worked(200e9, 0, 5e9, 4), roof);
  EXPECT_DOUBLE_EQ(placed.flop_s, 50e9);
  EXPECT_DOUBLE_EQ(placed.byte_s, 1.25e9);
  EXPECT_DOUBLE_EQ(placed.least_s, 2);
  EXPECT_EQ(placed.limit, Limit::arithmetic);
}

TEST(Roofline, ALotOfBytesForLittleArithmeticIsLimitedByMemory) {
  EXPECT_EQ(on_roof(worked(10e9, 0, 20e9, 4), roof).limit, Limit::memory);
  EXPECT_DOUBLE_EQ(on_roof(worked(0, 0, 20e9, 4), roof).least_s, 2);
}

TEST(Roofline, ConvolutionsHaveTheirOwnRateWhereItIsKnown) {
  EXPECT_DOUBLE_EQ(on_roof(worked(100e9, 100e9, 0, 4), roof).least_s, 2);
  EXPECT_DOUBLE_EQ(
      on_roof(worked(100e9, 100e9, 0, 4), {.product_flop_s = 100e9, .byte_s = 10e9}).least_s, 1);
}

TEST(Roofline, WhatIsFarFromBothLimitsIsLimitedByNeither) {
  EXPECT_EQ(on_roof(worked(1e9, 0, 1e9, 4), roof).limit, Limit::neither);
}

}  // namespace
}  // namespace epochcast::operators
