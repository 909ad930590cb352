#include "src/record/run/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "src/base/config/field_values.hpp"
#include "tests/src/record/run/other_value.hpp"

namespace epochcast::run {
namespace {

TEST(Allocation, NamesThatARecordCannotHoldAreRefused) {
  EXPECT_NO_THROW(check_allocation_name("cpu2"));
  EXPECT_NO_THROW(check_allocation_name(std::string(63, 'a')));
  for (const auto& name : {std::string(64, 'a'), std::string(), std::string(" "),
                           std::string("a\nb"), std::string("\x1b[2J")}) {
    EXPECT_THROW(check_allocation_name(name), Error) << name;
  }
}

TEST(Allocation, EveryFieldSurvivesPacking) {
  const auto allocation = other_values<Allocation>();
  EXPECT_EQ(unpack_allocation(pack(allocation)), allocation);
  EXPECT_EQ(pack(Allocation{}), "");
  EXPECT_EQ(unpack_allocation(""), Allocation{});
}

TEST(Allocation, PacksWhatIsNotADefault) {
  Allocation allocation;
  allocation.partition = "gpu";
  allocation.cpus = 8;
  allocation.memory = {std::int64_t{32} << 30};
  EXPECT_EQ(pack(allocation), "partition=gpu;cpus=8;memory=32G");
}

TEST(Allocation, HostileTextSurvivesPacking) {
  std::mt19937 random(1);
  const std::string hostile = ";=\\;\\\\\"' \n\t$`a";
  for (int i = 0; i < 1000; ++i) {
    Allocation allocation;
    for (auto* text : {&allocation.partition, &allocation.constraint, &allocation.account}) {
      for (auto length = random() % 8; length > 0; --length) {
        *text += hostile[random() % hostile.size()];
      }
    }
    EXPECT_EQ(unpack_allocation(pack(allocation)), allocation) << pack(allocation);
  }
}

TEST(Allocation, WhatNoAllocationHasIsRefused) {
  const struct {
    const char *text, *expected;
  } cases[] = {
      {"cpsu=3", "unknown key 'cpsu'; did you mean 'cpus'?"},
      {"cpus", "cpus: found '', expected a whole number"},
      {"cpus=0", "cpus: found '0', expected a value in 1..1000000"},
      {"nodes=4294967296;tasks_per_node=4294967296",
       "nodes: found '4294967296', expected a value in 1..1000000"},
      {"smt=maybe", "smt: found 'maybe', expected one of on, off"},
      {"memory=16", "memory: found '16', expected a size with a unit"},
  };
  for (const auto& [text, expected] : cases) {
    try {
      unpack_allocation(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(expected));
    }
  }
}

TEST(Allocation, RandomBytesAreReadOrRefused) {
  std::mt19937 random(4);
  for (int i = 0; i < 5000; ++i) {
    std::string text = pack(other_values<Allocation>());
    for (int flips = 0; flips < 3; ++flips) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    try {
      const auto allocation = unpack_allocation(text);
      EXPECT_EQ(unpack_allocation(pack(allocation)), allocation);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace epochcast::run
