#include "src/record/run/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/error.hpp"
#include "tests/files.hpp"

namespace epochcast::run {
namespace {

using testing::HasSubstr;

std::map<std::string, Prices> prices_in(const std::string& text) {
  return prices_of_profile(yaml::parse_text(text, "site.yaml"));
}

TEST(Prices, SurviveTheWayThroughTheEnvironment) {
  const Prices prices{
      .currency = "E;U=R\\", .cpu_hour = 0.01, .gpu_hour = std::nullopt, .node_hour = 0};
  EXPECT_EQ(unpack_prices(pack(prices)), prices);
  EXPECT_EQ(pack(Prices{}), "");
  EXPECT_EQ(unpack_prices(""), Prices{});
}

TEST(Prices, OfAnAllocationReplaceThoseOfTheDefaultsKeyByKey) {
  const auto found = prices_in(
      "scheduler: slurm\n"
      "defaults: {prices: {currency: EUR, cpu_hour: 0.01}}\n"
      "allocations:\n"
      "  cpu2: {cpus: 2}\n"
      "  t4: {gpus: 1, prices: {gpu_hour: 0.5}}\n"
      "overrides: {prices: {cpu_hour: 0.02}, t4: {prices: {gpu_hour: 0.6}}}\n");
  EXPECT_EQ(found.at("cpu2"), (Prices{"EUR", 0.02, std::nullopt, std::nullopt}));
  EXPECT_EQ(found.at("t4"), (Prices{"EUR", 0.02, 0.6, std::nullopt}));
}

TEST(Prices, NoneIsNotZero) {
  const auto found = prices_in(
      "defaults: {prices: {currency: EUR, cpu_hour: 0}}\n"
      "allocations: {zero: {cpus: 1}, none: {prices: none}}\n");
  EXPECT_TRUE(found.at("zero").any());
  EXPECT_FALSE(found.at("none").any());
}

TEST(Prices, DamageIsNamedWithItsLine) {
  const auto error = [](const std::string& prices) {
    return error_of([&] { prices_in("allocations:\n  a: {prices: " + prices + "}\n"); });
  };
  EXPECT_THAT(error("{currency: EUR, cpu_hour: cheap}"),
              HasSubstr("site.yaml:2: prices.cpu_hour: found 'cheap', expected a number"));
  EXPECT_THAT(error("{currency: EUR, cpu_hour: -1}"), HasSubstr("prices.cpu_hour: found '-1'"));
  EXPECT_THAT(error("{currency: EUR, cpu_hours: 1}"), HasSubstr("did you mean 'cpu_hour'?"));
  EXPECT_THAT(error("{cpu_hour: 1}"), HasSubstr("a: prices: currency is missing"));
  EXPECT_THAT(error("[1]"), HasSubstr("site.yaml:2"));
  EXPECT_THAT(error_of([] { prices_in("scheduler: slurm\n"); }), HasSubstr("no allocations"));
  EXPECT_THAT(error_of([] { unpack_prices("cpu_hour=1"); }), HasSubstr("currency is missing"));
  EXPECT_THAT(error_of([] { unpack_prices("cpu=1"); }), HasSubstr("unknown key 'cpu'"));
}

}  // namespace
}  // namespace epochcast::run
