// The program epochcast-analyze, run as a user runs it, and records to run it on.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "src/base/process/command.hpp"
#include "tests/analysis/made_records.hpp"

namespace epochcast::analysis {

inline process::CommandResult analyze(
    std::vector<std::string> words,
    const std::map<std::string, std::string>& extra_environment = {}) {
  words.insert(words.begin(), std::string(EPOCHCAST_BINARY_DIR) + "/epochcast-analyze");
  return process::run_command(words, 60, extra_environment);
}

/// A folder with two good records, one that is cut off and one of a newer schema.
class Program : public ::testing::Test {
 protected:
  Program() {
    write_records({made_record({.epochs = 1}), made_record({.epochs = 5})}, good());
    write_records({made_record({.epochs = 1}), made_record({.epochs = 5})}, mixed());
    set_bytes(mixed() + "/cut.h5",
              bytes_of(mixed() + "/made.cpu2.b256.e1.r0-1.h5").substr(0, 1000));
    auto newer = made_record({.epochs = 2});
    newer.header.schema_version = record::record_schema_version + 1;
    write_records({newer}, mixed());
    set_bytes(folder_ / "empty.log", "");
  }
  std::string good() const { return folder_ / "good"; }
  std::string mixed() const { return folder_ / "mixed"; }

  TemporaryFolder folder_;
};

}  // namespace epochcast::analysis
