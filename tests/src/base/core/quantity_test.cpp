#include "src/base/core/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace epochcast {
namespace {

using testing::HasSubstr;

template <class Value>
void expect_round_trip(const Value& value) {
  Value read{};
  from_text(to_text(value), read);
  EXPECT_EQ(read, value) << to_text(value);
}

template <class Value>
std::string refusal(std::string_view text) {
  Value value{};
  try {
    from_text(text, value);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of(std::string_view text, std::string_view allowed) {
  try {
    check_allowed(text, allowed);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Quantity, EveryTypeReadsBackWhatItWrote) {
  for (const bool value : {true, false}) {
    expect_round_trip(value);
  }
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    expect_round_trip(value);
  }
  for (const double value : {0.0, 0.1, -1e-300, 1e300}) {
    expect_round_trip(value);
  }
  for (const std::string value : {"", " a b ", "90m", "\n"}) {
    expect_round_trip(value);
  }
  for (const double value : {0.0, 0.001, 5400.0, 1e7}) {
    expect_round_trip(Seconds{value});
  }
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{12345}, std::int64_t{1} << 40}) {
    expect_round_trip(Bytes{value});
  }
}

TEST(Quantity, ARefusalReportsWhatWasFoundAndWhatIsExpected) {
  EXPECT_EQ(refusal<std::int64_t>("many"), "found 'many', expected a whole number");
  EXPECT_EQ(refusal<double>("1,5"), "found '1,5', expected a number");
  for (const std::string text : {"inf", "-inf", "nan"}) {
    EXPECT_EQ(refusal<double>(text), "found '" + text + "', expected a number");
  }
  EXPECT_EQ(refusal<bool>("1"), "found '1', expected true or false");
  EXPECT_THAT(refusal<Seconds>("1:30:00"),
              HasSubstr("expected a duration with units, such as 90m"));
  EXPECT_EQ(refusal<Bytes>("16"), "found '16', expected a size with a unit, such as 16G or 512M");
}

TEST(Quantity, FlagsTakeTheWordsOfYaml) {
  for (const auto* text : {"true", "yes", "on"}) {
    bool value = false;
    from_text(text, value);
    EXPECT_TRUE(value) << text;
  }
  for (const auto* text : {"false", "no", "off"}) {
    bool value = true;
    from_text(text, value);
    EXPECT_FALSE(value) << text;
  }
}

TEST(Quantity, OnlyAllowedValuesPass) {
  const struct {
    const char *text, *allowed;
  } good[] = {{"anything", ""},   {"lab", "lab|fast"}, {"1", ">=1"},      {"0.1", ">0"},
              {"0", "0..1"},      {"1", "0..1"},       {"0.99", "0..<1"}, {"1s", ">0"},
              {"0B", ">=0"},      {"16G", ">=1"},      {"", "|on|off"},   {"on", "|on|off"},
              {"/data:x", "path"}};
  for (const auto& [text, allowed] : good) {
    EXPECT_EQ(refusal_of(text, allowed), "");
  }
  const struct {
    const char *text, *allowed, *expected;
  } bad[] = {
      {"lba", "lab|fast", "found 'lba', expected one of lab, fast; did you mean 'lab'?"},
      {"0", ">=1", "found '0', expected a value >=1"},
      {"nan", ">=1", "found 'nan', expected a value >=1"},
      {"0s", ">0", "found '0s', expected a value >0"},
      {"1.5", "0..1", "found '1.5', expected a value in 0..1"},
      {"1", "0..<1", "found '1', expected a value in 0..<1"},
      {"-1", "0..1", "found '-1', expected a value in 0..1"},
      {"maybe", "|on|off", "found 'maybe', expected one of on, off"},
  };
  for (const auto& [text, allowed, expected] : bad) {
    EXPECT_EQ(refusal_of(text, allowed), expected);
  }
}

}  // namespace
}  // namespace epochcast
