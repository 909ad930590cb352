#include "src/base/core/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace epochcast {
namespace {

TEST(SignalName, IsThatOfTheManualAndANumberWhereThereIsNone) {
  EXPECT_EQ(signal_name(SIGUSR1), "SIGUSR1");
  EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
  EXPECT_EQ(signal_name(34), "signal 34");
  EXPECT_EQ(signal_name(-1), "signal -1");
}

}  // namespace
}  // namespace epochcast
