// What forecasts by datasheets have learned, computed again from the data that it is learned from.
#include <gtest/gtest.h>

#include "analysis/validate/datasheet_fit.hpp"
#include "analysis/validate/validator.hpp"
#include "src/forecast/device/ratio.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

const char* const products = "timing/deepbench-train-fp32-gemm.csv";
const char* const convolutions = "timing/deepbench-train-fp32-conv.csv";
const char* const trainings = "timing/gavel-throughputs.csv";

DatasheetFit fit_of(const std::vector<const char*>& files,
                    std::optional<double> flops_per_byte = std::nullopt) {
  std::vector<CsvFile> read;
  for (const auto* file : files) {
    read.push_back(CsvFile::read(shared_data(file)));
  }
  return fit_datasheets(read, flops_per_byte);
}

TEST(LearnedWidths, TheUsualWorkIsThatOfBothFiles) {
  EPOCHCAST_NEEDS_SHARED_DATA(products);
  EPOCHCAST_NEEDS_SHARED_DATA(convolutions);
  EPOCHCAST_NEEDS_SHARED_DATA(trainings);
  const auto usual = device::usual_flops_per_byte;
  EXPECT_NEAR(fit_of({products, convolutions, trainings}).flops_per_byte, usual, 0.5);
  EXPECT_NEAR(fit_of({products, convolutions}).flops_per_byte, usual, 1);
  EXPECT_NEAR(fit_of({trainings}).flops_per_byte, usual, 1);
}

TEST(LearnedWidths, OfProgramsAreThoseOfTheTrainingsOfGavel) {
  EPOCHCAST_NEEDS_SHARED_DATA(trainings);
  const auto widths = fit_of({trainings}, device::usual_flops_per_byte).widths;
  EXPECT_NEAR(device::program_widths.of_80, widths.of_80, 0.005);
  EXPECT_NEAR(device::program_widths.of_95, widths.of_95, 0.005);
}

TEST(LearnedWidths, OfOperatorsAreThoseOfDeepBench) {
  EPOCHCAST_NEEDS_SHARED_DATA(products);
  EPOCHCAST_NEEDS_SHARED_DATA(convolutions);
  const auto widths = fit_of({products, convolutions}, device::usual_flops_per_byte).widths;
  EXPECT_NEAR(device::operator_widths.of_80, widths.of_80, 0.005);
  EXPECT_NEAR(device::operator_widths.of_95, widths.of_95, 0.005);
}

TEST(LearnedWidths, WhatOneFileTeachesIsAheadOfPlainRulesOnTheOther) {
  EPOCHCAST_NEEDS_SHARED_DATA(products);
  EPOCHCAST_NEEDS_SHARED_DATA(trainings);
  for (const auto& [learn, score] :
       {std::pair{products, trainings}, std::pair{trainings, products}}) {
    const auto file = CsvFile::read(shared_data(score));
    const auto table = validators::all()
                           .at("devices")
                           .score(file, {.seen = {}, .learn = {CsvFile::read(shared_data(learn))}})
                           .front();
    double learned = 0;
    for (const auto& method : column_of(table, "method")) {
      if (method.starts_with("specifications, learnt elsewhere")) {
        learned = number(table, method, "mean_percent");
      }
    }
    ASSERT_GT(learned, 0) << score;
    EXPECT_LT(learned, number(table, "bandwidth ratio", "mean_percent")) << score;
    EXPECT_LT(learned, number(table, "geometric mean of peak FLOPS and bandwidth", "mean_percent"))
        << score;
  }
}

}  // namespace
}  // namespace epochcast::analysis
