// Measured data of others, which is not part of the repository: the folder `shared` beside it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace epochcast {

inline std::string shared_data(const std::string& path) {
  return std::string(EPOCHCAST_SOURCE_DIR) + "/../shared/data/" + path;
}

}  // namespace epochcast

/// Ends the test as skipped, with the reason, where the file is not there.
#define EPOCHCAST_NEEDS_SHARED_DATA(path)                                          \
  if (!std::filesystem::exists(::epochcast::shared_data(path))) {                  \
    GTEST_SKIP() << "no " << ::epochcast::shared_data(path) << " on this machine"; \
  }
