#include "src/base/core/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "src/base/core/error.hpp"

namespace epochcast {
namespace {

TEST(Text, LowerCaseIsOfAsciiLettersOnly) {
  EXPECT_EQ(to_lower("A100-SXM4 [@Z`] \xC3\x84"), "a100-sxm4 [@z`] \xC3\x84");
}

TEST(Text, PrintableTextIsOneLineThatDrivesNoTerminal) {
  EXPECT_EQ(printable("a\nb\x1b[2J\tc\x7f é"), "a\\nb\\x1b[2J\\x09c\\x7f é");
}

TEST(Text, DurationsReadBackAsWritten) {
  for (const double seconds : {0.0, 0.25, 1.0, 45.0, 90.0, 5400.0, 43200.0, 86400.0, 100000.0,
                               172800.0, 90.5, 1e-7, 1.0 / 3, 1e15 + 2, 3e17}) {
    EXPECT_EQ(parse_duration_s(format_duration(seconds)), seconds) << format_duration(seconds);
  }
}

TEST(Text, DurationsAreWrittenForPeople) {
  EXPECT_EQ(format_duration(5400), "1h30m");
  EXPECT_EQ(format_duration(43200), "12h");
  EXPECT_EQ(format_duration(172800), "2d");
  EXPECT_EQ(format_duration(0.25), "0.25s");
  EXPECT_EQ(format_duration(0), "0s");
}

TEST(Text, DurationsMayBeGivenInParts) {
  EXPECT_EQ(parse_duration_s("1h30m"), 5400);
  EXPECT_EQ(parse_duration_s("1.5h"), 5400);
  EXPECT_EQ(parse_duration_s("250ms"), 0.25);
  EXPECT_EQ(parse_duration_s("1d1s"), 86401);
}

TEST(Text, DurationsWithoutAUnitAreRefused) {
  const std::string endless(400, '9');
  for (const auto& text :
       {std::string(), std::string("90"), std::string("1:30:00"), std::string("m"),
        std::string("5x"), std::string("1h30"), std::string("-5m"), std::string("1.2.3s"),
        std::string("1 h"), std::string("infs"), std::string("1e3s"), endless + "s",
        endless.substr(0, 306) + "d"}) {
    EXPECT_FALSE(parse_duration_s(text)) << text;
  }
}

TEST(Text, SizesReadBackAsWritten) {
  for (const std::int64_t bytes :
       {0L, 1L, 1024L, 1536L * 1024 * 1024, 16L << 30, 3L << 40, 1000001L, (1L << 53) + 1,
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes) << format_bytes(bytes);
  }
}

TEST(Text, SizesTakeFractionsAndAFinalB) {
  EXPECT_EQ(parse_bytes("1.5G"), 1536L << 20);
  EXPECT_EQ(parse_bytes("16GB"), 16L << 30);
  EXPECT_EQ(parse_bytes("100B"), 100);
}

TEST(Text, SizesWithoutAUnitAreRefused) {
  for (const auto* text :
       {"", "16", "G", "16X", "1e9999T", "-1G", "16 G", "9999999T", "9999999.5T", "1..5G"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(Text, DidYouMeanNamesTheNearest) {
  EXPECT_EQ(did_you_mean("lenett", {"dcgan", "lenet"}), "; did you mean 'lenet'?");
  EXPECT_EQ(did_you_mean("bacth", {"batch", "epochs"}), "; did you mean 'batch'?");
  EXPECT_EQ(did_you_mean("zzzzzz", {"batch", "epochs"}), "; known: batch, epochs");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(did_you_mean("x", {"on", "off"}), "; known: on, off")
      << "a guess that shares no letter helps nobody";
}

TEST(Text, EditDistanceCountsASwapOnce) {
  const struct {
    const char *a, *b;
    int distance;
  } cases[] = {{"", "", 0},       {"", "abc", 3},  {"abc", "", 3},           {"abc", "abc", 0},
               {"abc", "abd", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}};
  for (const auto& [a, b, distance] : cases) {
    EXPECT_EQ(edit_distance(a, b), distance) << a << " " << b;
  }
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{});
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
}

TEST(Text, TrimTakesWhiteSpaceAtTheEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, NumbersAreWholeTexts) {
  EXPECT_EQ(parse_integer("-5"), -5);
  EXPECT_EQ(parse_integer("+5"), 5);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const auto* text :
       {"", "+", "-", "+-5", "++5", "5 ", " 5", "5.0", "1e3", "0x10", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
  EXPECT_EQ(parse_double("-1.5e3"), -1500);
  EXPECT_EQ(parse_double("inf"), HUGE_VAL);
  for (const auto* text : {"", "1,5", "1.5x", "+-1", "1e999", "."}) {
    EXPECT_FALSE(parse_double(text)) << text;
  }
}

TEST(Text, ShortestNumbersReadBackExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) {
      EXPECT_EQ(parse_double(format_shortest(value)), value);
    }
  }
  EXPECT_EQ(format_shortest(0.1), "0.1");
  EXPECT_EQ(format_fixed(2.745, 1), "2.7");
}

TEST(Text, NumbersInTextsAreOrderedAsNumbers) {
  const std::vector<std::string> ordered{
      "",           "cpu1",     "cpu2",   "cpu16",    "depth=2",  "depth=10",   "rate=0",
      "rate=1e-05", "rate=0.1", "rate=1", "rate=1.0", "rate=1e9", "rate=1e999", "rate=x"};
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
    EXPECT_LT(natural_key(ordered[i]), natural_key(ordered[i + 1])) << ordered[i + 1];
    EXPECT_FALSE(natural_key(ordered[i + 1]) < natural_key(ordered[i])) << ordered[i];
  }
}

TEST(Text, TheHashOfPointIdsNeverChanges) {
  EXPECT_EQ(fnv1a(""), 14695981039346656037ULL);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cULL);
}

/// What a shell makes of the words `printf %s` was given.
std::string through_the_shell(const std::string& quoted) {
  const std::string command = "printf %s " + quoted;
  std::string text;
  FILE* shell = popen(command.c_str(), "r");
  for (int c = 0; (c = std::fgetc(shell)) != EOF;) {
    text += static_cast<char>(c);
  }
  EXPECT_EQ(pclose(shell), 0) << command;
  return text;
}

TEST(Text, ShellQuoteLeavesPlainWordsAlone) {
  EXPECT_EQ(shell_quote("/data/images-64_v1.2"), "/data/images-64_v1.2");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_THROW(shell_quote(std::string_view("a\0b", 3)), Error);
}

TEST(Text, AnyTextSurvivesTheShell) {
  for (const std::string text : {"$(touch /tmp/x)",
                                 "`id`",
                                 "a b",
                                 "*",
                                 "~",
                                 "~root",
                                 "!!",
                                 "a\nb",
                                 "\n",
                                 "'",
                                 "''",
                                 "\\",
                                 "\"",
                                 "-n",
                                 "{a,b}",
                                 "x=y",
                                 "#",
                                 "a;b",
                                 "&",
                                 "|",
                                 "\xC3\xA9",
                                 "\xFF\xFE",
                                 "%s"}) {
    EXPECT_EQ(through_the_shell(shell_quote(text)), text);
  }
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (auto length = random() % 20; length > 0; --length) {
      text += static_cast<char>(1 + random() % 255);
    }
    EXPECT_EQ(through_the_shell(shell_quote(text)), text);
  }
}

}  // namespace
}  // namespace epochcast
