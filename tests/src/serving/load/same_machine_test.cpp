#include <gtest/gtest.h>

#include <string>

#include "src/serving/load/ready.hpp"

namespace epochcast::load {
namespace {

TEST(SameMachine, IsWhereConnectionsStayOnIt) {
  for (const std::string own : {"127.0.0.1", "127.0.0.2", "localhost"}) {
    EXPECT_TRUE(is_on_this_machine({.host = own, .port = "8000"})) << own;
  }
  // The first two are of RFC 5737, for documentation; the last has no address anywhere (RFC 6761).
  for (const std::string other : {"192.0.2.1", "203.0.113.7", "no-such-host.invalid"}) {
    EXPECT_FALSE(is_on_this_machine({.host = other, .port = "8000"})) << other;
  }
}

}  // namespace
}  // namespace epochcast::load
