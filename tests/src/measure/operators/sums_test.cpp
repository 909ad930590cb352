#include "src/measure/operators/sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::operators {
namespace {

using testing::ElementsAre;

constexpr double ns = 1e-9;

Event call(const std::string& name, std::int64_t start_ns, std::int64_t end_ns,
           std::uint64_t id = 0, std::uint64_t thread = 1) {
  return {.name = name, .thread = thread, .start_ns = start_ns, .end_ns = end_ns, .id = id};
}

Event kernel(const std::string& name, std::int64_t start_ns, std::int64_t end_ns,
             std::uint64_t call_id) {
  return {.name = name,
          .start_ns = start_ns,
          .end_ns = end_ns,
          .linked_id = call_id,
          .on_device = true};
}

const record::Operator& row_of(const OperatorSums& sums, const std::string& name) {
  static const record::Operator none;
  for (const auto& row : sums.operators) {
    if (row.name.view() == name) {
      return row;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return none;
}

TEST(OperatorSums, SelfTimeIsTheOwnWithoutThatOfTheDirectChildren) {
  const auto sums = sum_by_operator(
      {call("linear", 0, 100), call("t", 10, 20), call("addmm", 30, 90), call("copy_", 40, 50)});
  EXPECT_NEAR(row_of(sums, "linear").self_cpu_s, 30 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "linear").cpu_total_s, 100 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "addmm").self_cpu_s, 50 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "addmm").cpu_total_s, 60 * ns, 1e-15);
  EXPECT_NEAR(sums.self_cpu_s, 100 * ns, 1e-15) << "no time counts twice";
}

TEST(OperatorSums, SumsAllCallsOfAName) {
  const auto sums = sum_by_operator({call("mm", 0, 10), call("mm", 20, 50), call("add", 60, 61)});
  EXPECT_EQ(row_of(sums, "mm").calls, 2);
  EXPECT_NEAR(row_of(sums, "mm").cpu_total_s, 40 * ns, 1e-15);
  EXPECT_EQ(row_of(sums, "add").calls, 1);
}

TEST(OperatorSums, CallsNestOnTheirOwnThreadOnly) {
  const auto sums = sum_by_operator({call("backward", 0, 100, 1, 1), call("mm", 10, 60, 2, 2)});
  EXPECT_NEAR(row_of(sums, "backward").self_cpu_s, 100 * ns, 1e-15);
}

TEST(OperatorSums, CallsThatOverlapOnlyInPartAreNotNested) {
  const auto sums = sum_by_operator({call("a", 0, 50), call("b", 40, 90)});
  EXPECT_NEAR(row_of(sums, "a").self_cpu_s, 50 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "b").self_cpu_s, 50 * ns, 1e-15);
}

TEST(OperatorSums, AnOnlyChildOfTheSameNameIsMergedAndAnotherIsNot) {
  const auto merged = sum_by_operator({call("dropout", 0, 100), call("dropout", 10, 90),
                                       call("dropout", 15, 85), call("mul", 20, 40)});
  EXPECT_EQ(row_of(merged, "dropout").calls, 1);
  EXPECT_NEAR(row_of(merged, "dropout").self_cpu_s, 80 * ns, 1e-15);
  const auto kept =
      sum_by_operator({call("add", 0, 100), call("add", 10, 20), call("empty", 30, 40)});
  EXPECT_EQ(row_of(kept, "add").calls, 2);
}

TEST(OperatorSums, AnEventThatEndsOnAnotherThreadHasATotalButNoSelfTimeAndNoChildren) {
  auto async = call("wait", 0, 100);
  async.is_async = true;
  const auto sums = sum_by_operator({async, call("mm", 10, 20)});
  EXPECT_NEAR(row_of(sums, "wait").cpu_total_s, 100 * ns, 1e-15);
  EXPECT_EQ(row_of(sums, "wait").self_cpu_s, 0);
  EXPECT_NEAR(sums.self_cpu_s, 10 * ns, 1e-15);
}

TEST(OperatorSums, KernelsAreRowsAndBelongToTheCallThatStartedThem) {
  const auto sums = sum_by_operator({call("linear", 0, 100, 1), call("addmm", 10, 90, 2),
                                     kernel("gemm", 200, 260, 2), kernel("bias", 270, 280, 1)});
  EXPECT_NEAR(row_of(sums, "addmm").self_device_s, 60 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "linear").self_device_s, 10 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "linear").device_total_s, 70 * ns, 1e-15);
  EXPECT_EQ(row_of(sums, "gemm").place.view(), "device");
  EXPECT_NEAR(row_of(sums, "gemm").self_device_s, 60 * ns, 1e-15);
  EXPECT_NEAR(sums.self_device_s, 70 * ns, 1e-15) << "kernels only, once";
}

TEST(OperatorSums, ARangeThatTheUserNamedIsNoTimeOfTheDevice) {
  auto range = kernel("step", 0, 500, 0);
  range.is_annotation = true;
  const auto sums = sum_by_operator({call("mm", 0, 10, 1), kernel("gemm", 20, 40, 1), range});
  EXPECT_NEAR(sums.self_device_s, 20 * ns, 1e-15);
  EXPECT_EQ(row_of(sums, "step").place.view(), "annotation");
}

TEST(OperatorSums, TheRuntimeCountsOnTheThreadOfTheCallThatItWorksFor) {
  auto launch = call("cudaLaunchKernel", 20, 30, 7, 99);
  launch.linked_id = 2;
  const auto sums = sum_by_operator({call("addmm", 10, 90, 2), launch});
  EXPECT_NEAR(row_of(sums, "addmm").self_cpu_s, 70 * ns, 1e-15);
}

TEST(OperatorSums, RowsByShapesAddUpToTheOperator) {
  auto small = call("mm", 0, 10);
  small.shapes = shapes_text({{2, 3}, {3, 4}});
  auto large = call("mm", 20, 60);
  large.shapes = shapes_text({{200, 3}, {3, 4}});
  const auto sums = sum_by_operator({small, large});
  ASSERT_EQ(sums.shapes.size(), 2U);
  EXPECT_EQ(sums.shapes[0].shapes.view(), "[[2, 3], [3, 4]]");
  EXPECT_NEAR(sums.shapes[0].self_cpu_s + sums.shapes[1].self_cpu_s, row_of(sums, "mm").self_cpu_s,
              1e-15);
}

TEST(OperatorSums, WorkIsThatOfACallTimesTheCallsAndItsTimeThatOfItsOutermostCalls) {
  const WorkByName work{{"convolution", {.calls = 1, .flops = 100, .bytes = 10}},
                        {"copy_", {.calls = 2, .bytes = 4}}};
  const auto sums =
      sum_by_operator({call("convolution", 0, 100), call("copy_", 10, 30), call("clone", 200, 260),
                       call("copy_", 210, 250), call("convolution", 300, 400),
                       call("copy_", 310, 330), call("clone", 500, 560), call("copy_", 510, 550)},
                      work);
  EXPECT_EQ(row_of(sums, "convolution").flops, 200);
  EXPECT_EQ(row_of(sums, "copy_").bytes, 8);
  EXPECT_NEAR(row_of(sums, "convolution").work_s, 200 * ns, 1e-15);
  EXPECT_NEAR(row_of(sums, "copy_").work_s, 80 * ns, 1e-15) << "not the copies of convolutions";
  EXPECT_EQ(row_of(sums, "clone").work_s, 0);
}

TEST(OperatorSums, WithAGpuTheTimeOfWorkIsThatOfTheKernels) {
  const WorkByName work{{"addmm", {.calls = 1, .flops = 100, .bytes = 10}}};
  const auto sums = sum_by_operator({call("addmm", 0, 100, 1), kernel("gemm", 200, 230, 1)}, work);
  EXPECT_NEAR(row_of(sums, "addmm").work_s, 30 * ns, 1e-15);
}

TEST(ProfiledEvents, AreThoseWithinTheStepsAndTheirKernels) {
  const auto events = events_within(
      {call("load", 0, 10, 1), call("mm", 20, 30, 2), call("aten::is_leaf", 21, 22, 3),
       kernel("copy", 24, 25, 1), kernel("gemm", 100, 120, 2), call("step ends late", 25, 60, 4)},
      {{20, 50}});
  std::vector<std::string> names;
  for (const auto& event : events) {
    names.push_back(event.name);
  }
  EXPECT_THAT(names, ElementsAre("mm", "gemm"));
}

}  // namespace
}  // namespace epochcast::operators
