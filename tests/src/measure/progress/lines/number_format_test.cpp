// How the numbers of a log are written is decided over all lines; what nothing decides is no
// number.
#include "src/measure/progress/lines/number_format.hpp"

#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

NumberFormat format_of(std::string_view text) {
  NumberEvidence evidence;
  return number_format_of(text, evidence);
}

TEST(NumberFormat, OneNumberThatCanOnlyBeOneThingDecides) {
  for (const auto* text :
       {"loss 0,912", "time 1,81 s", "took 2.409,5 s", "lr 1,5e-05", "ppl 12850,125"}) {
    const auto dots = std::string_view(text).find('.') != std::string_view::npos;
    EXPECT_EQ(format_of(std::string("x 1,234\n") + text),
              dots ? NumberFormat::comma_dots : NumberFormat::comma)
        << text;
  }
  for (const auto* text : {"took 2,409.5 s", "n 1,234,567", "step 1,200/60,000", "iter 20,100",
                           "loss 0.5 elo 1,200", "Total train batch size (w. others) = 1,024"}) {
    EXPECT_EQ(format_of(std::string("x 1,234\n") + text), NumberFormat::point) << text;
  }
}

TEST(NumberFormat, ListsTimesAndVersionsDecideNothing) {
  for (const auto* text : {"shape (3,64)", "ids [0,1]", "1,2,3", "loss 0.5,acc 0.6", "gpus 0,1",
                           "22:01:09,12 x", "cuda 12.2", "10.1.2.3", "lrs 1e-3,1e-4", "0.5,0.6"}) {
    EXPECT_EQ(format_of(std::string("x 1,234\n") + text), NumberFormat::undecided) << text;
  }
  EXPECT_EQ(format_of("2026-11-24 22:01:09,123 loss 0.5, acc 0.6"), NumberFormat::plain);
}

TEST(NumberFormat, WhatFewestLinesContradictIsRight) {
  EXPECT_EQ(format_of("loss 0.5\nloss 0.4\nloss 0.3\nids 0,12 x\n"), NumberFormat::point);
  EXPECT_EQ(format_of("heads 8,8\nloss 1.204\nloss 1.193\n"), NumberFormat::point);
  EXPECT_EQ(format_of("torch 2.1\nloss 0,51\nloss 1,234\n"), NumberFormat::comma);
}

TEST(NumberFormat, NumbersBecomePlain) {
  const auto plain = [](std::string_view line, NumberFormat format) {
    return plain_numbers(line, format).value_or(std::string(line));
  };
  EXPECT_EQ(plain("t 2,409.5 n 1'201.5 m 1\xe2\x80\xaf"
                  "201 (3,64) 0.5,0.6 01:02:03,123",
                  NumberFormat::point),
            "t 2409.5 n 1201.5 m 1201 (3,64) 0.5,0.6 01:02:03,123");
  EXPECT_EQ(plain("t 2.409,5 s, lr 1,5e-05, n 1.204, x 0.5", NumberFormat::comma_dots),
            "t 2409.5 s, lr 1.5e-05, n 1204, x 0.5");
  EXPECT_EQ(plain("n 1.204 m 1,204", NumberFormat::comma), "n nan m 1.204");
  EXPECT_EQ(plain("took 1,205 s step 1,205", NumberFormat::undecided), "took nan s step 1205");
  EXPECT_EQ(two_readings("1,205").find("'1,205' may be 1205 or 1.205"), 17U);
}

}  // namespace
}  // namespace epochcast::progress
