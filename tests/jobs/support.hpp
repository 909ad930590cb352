// What the tests of jobs/ share: a folder of their own, and a way to run the program's subcommands.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "jobs/script/shell_file.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/process/command.hpp"
#include "tests/fake_trainer.hpp"

namespace epochcast::jobs::test {

namespace fs = std::filesystem;
using epochcast::test::fake_trainer;

/// A folder that is gone at the end of the test.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = fs::temp_directory_path() / "epochcast-jobs-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() { fs::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text, bool runnable = false) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    if (runnable) {
      fs::permissions(path_ / name, fs::perms::owner_all);
    }
    return path_ / name;
  }

 private:
  fs::path path_;
};

/// What a script needs in its output folder before it can run.
inline void make_out(const fs::path& out) {
  make_folder(out / "claims");
  make_folder(out / "scripts");
  write_file(out / "scripts" / shell_file_name(), shell_functions);
}

/// The message of the Error that `body` throws; "" where it throws none.
template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Sets an environment variable for the time of a test.
class WithVariable {
 public:
  WithVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
      had_ = true;
    }
    setenv(name, value.c_str(), 1);
  }
  ~WithVariable() {
    if (had_) {
      setenv(name_, before_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

}  // namespace epochcast::jobs::test
