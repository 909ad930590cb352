// Recorded files of /proc and /sys under a folder of their own.
#pragma once

#include <filesystem>
#include <string>

#include "tests/files.hpp"

namespace epochcast::telemetry {

class MachineFiles {
 public:
  std::filesystem::path root() const { return folder_.path(); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    set_bytes(file, text);
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(folder_ / path); }

  /// A program named with a space and a bracket, as some are.
  void write_process(const std::string& pid, char state, long user_ticks, long faults = 0) const {
    write("proc/" + pid + "/stat",
          "10 (a (b) c) " + std::string(1, state) + " 1 10 10 0 -1 4194304 98 0 " +
              std::to_string(faults) + " 0 " + std::to_string(user_ticks) +
              " 50 20 30 20 0 9 0 92803 3133440 360 18446744073709551615 0 0\n");
    write("proc/" + pid + "/status", "Name:\ta\nVmRSS:\t   2048 kB\nVmSwap:\t    4 kB\n");
    write("proc/" + pid + "/io",
          "rchar: 6976\nwchar: 0\nread_bytes: 8192\nwrite_bytes: 4096\n"
          "cancelled_write_bytes: 77\n");
  }
  /// In ms.
  void write_thread(const std::string& pid, const std::string& thread, long ran_ms,
                    long waited_ms) const {
    write("proc/" + pid + "/task/" + thread + "/schedstat",
          std::to_string(ran_ms) + "000000 " + std::to_string(waited_ms) + "000000 77\n");
  }
  void write_children(const std::string& pid, const std::string& thread,
                      const std::string& children) const {
    write("proc/" + pid + "/task/" + thread + "/children", children);
  }

 private:
  TemporaryFolder folder_;
};

/// Two CPUs since the start, in ticks of 10 ms. Guests are part of user and nice.
inline std::string proc_stat(long user0, long user1) {
  return "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 " + std::to_string(user0) +
         " 10 20 7000 30 4 6 50 9 0\ncpu1 " + std::to_string(user1) +
         " 0 0 7000 0 0 0 0 0 0\nintr 606250 0 0\nctxt 5\n";
}

}  // namespace epochcast::telemetry
