// h5py and pandas open a record with no help of ours.
#include "tests/python.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/core/text.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"

namespace epochcast::record {
namespace {

TEST(Python, H5pyAndPandasReadEveryValue) {
  const auto python = tests::python_with("h5py, pandas");
  if (!python) {
    GTEST_SKIP() << "no Python with h5py and pandas: set EPOCHCAST_PYTHON, or run env/test";
  }
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  const auto command = shell_quote(*python) +
                       " " EPOCHCAST_SOURCE_DIR "/tests/src/record/open_with_python.py " +
                       shell_quote(folder / "a.h5");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace epochcast::record
