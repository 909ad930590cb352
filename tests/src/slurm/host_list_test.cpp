#include "src/slurm/host_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::slurm {
namespace {

struct HostCase {
  const char* text;
  const char* hosts;
};
class HostLists : public testing::TestWithParam<HostCase> {};
TEST_P(HostLists, AreExpanded) {
  EXPECT_EQ(join(expand_host_list(GetParam().text), " "), GetParam().hosts);
}
INSTANTIATE_TEST_SUITE_P(
    Table, HostLists,
    testing::Values(HostCase{"", ""}, HostCase{"t4-01", "t4-01"}, HostCase{"a,b", "a b"},
                    HostCase{"t4-[01-03,07],login", "t4-01 t4-02 t4-03 t4-07 login"},
                    HostCase{"n[9-11]", "n9 n10 n11"}, HostCase{"n[099-100]x", "n099x n100x"},
                    HostCase{"r[1-2]n[3-4]", "r1n3 r1n4 r2n3 r2n4"}));

class BrokenHostLists : public testing::TestWithParam<const char*> {};
TEST_P(BrokenHostLists, AreRefused) {
  EXPECT_THROW(expand_host_list(GetParam()), Error);
}
INSTANTIATE_TEST_SUITE_P(Table, BrokenHostLists,
                         testing::Values("n[1-3", "n1]", "n[3-1]", "n[a-b]", "n[1-]", "n[[1]]",
                                         "n[0-99999999]"));

}  // namespace
}  // namespace epochcast::slurm
