#include "src/core/text.hpp"

#include <gtest/gtest.h>

namespace epochcast {
namespace {

TEST(Text, DurationsReadBackAsWritten) {
  for (const double seconds : {0.0, 0.25, 1.0, 45.0, 90.0, 5400.0, 43200.0, 86400.0, 100000.0, 172800.0}) {
    EXPECT_EQ(parse_duration_s(format_duration(seconds)), seconds) << format_duration(seconds);
  }
}

TEST(Text, DurationsWithoutAUnitAreRefused) {
  for (const auto* text : {"", "90", "1:30:00", "m", "5x", "1h30", "-5m", "1.2.3s"}) {
    EXPECT_FALSE(parse_duration_s(text)) << text;
  }
}

TEST(Text, SizesReadBackAsWritten) {
  for (const std::int64_t bytes : {0L, 1L, 1024L, 1536L * 1024 * 1024, 16L << 30, 3L << 40, 1000001L}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes) << format_bytes(bytes);
  }
}

TEST(Text, SizesWithoutAUnitAreRefused) {
  for (const auto* text : {"", "16", "G", "16X", "1e9999T", "-1G"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(Text, DidYouMeanNamesTheNearest) {
  EXPECT_EQ(did_you_mean("lenett", {"dcgan", "lenet"}), "; did you mean 'lenet'?");
  EXPECT_EQ(did_you_mean("bacth", {"batch", "epochs"}), "; did you mean 'batch'?");
  EXPECT_EQ(did_you_mean("zzzzzz", {"batch", "epochs"}), "; known: batch, epochs");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{});
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
}

}  // namespace
}  // namespace epochcast
