#include "src/record/isolated.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "src/record/h5.hpp"
#include "tests/files.hpp"

namespace epochcast::record {
namespace {

/// Records the process that read it; some requests end that process, or throw.
void fill_by_request(const std::string& request, Record& record) {
  if (request == "crash") {
    raise(SIGKILL);
  }
  if (request == "bad input") {
    throw Error("bad input here");
  }
  record.header.point = request;
  record.header.restart = getpid();
  record.modules = std::string(1 << 20, 'm');  // more than fits into a socket's buffer
}

TEST(IsolatedReader, ReadsManyInOneProcessOutsideThisOne) {
  IsolatedReader reader(fill_by_request);
  const auto first = reader.read("a");
  const auto second = reader.read("b");
  EXPECT_EQ(first.header.point.view(), "a");
  EXPECT_EQ(second.header.point.view(), "b");
  EXPECT_EQ(second.modules.size(), 1U << 20);
  EXPECT_EQ(first.header.restart, second.header.restart);
  EXPECT_NE(first.header.restart, getpid());
}

TEST(IsolatedReader, StartsAgainAfterACrash) {
  IsolatedReader reader(fill_by_request);
  const auto before = reader.read("a").header.restart;
  EXPECT_THROW(reader.read("crash"), h5::Failure);
  const auto after = reader.read("b");
  EXPECT_EQ(after.header.point.view(), "b");
  EXPECT_NE(after.header.restart, before);
}

TEST(IsolatedReader, PassesOnWhatWasThrownAndContinues) {
  IsolatedReader reader(fill_by_request);
  EXPECT_EQ(error_of([&] { reader.read("bad input"); }), "bad input here");
  EXPECT_EQ(reader.read("a").header.point.view(), "a");
}

}  // namespace
}  // namespace epochcast::record
