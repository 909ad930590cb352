// /proc/PID/stat of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace epochcast::telemetry {

/// The words after the name of the program, which may itself hold spaces and brackets; proc(5).
enum class StatWord : std::size_t {
  state = 0,
  parent = 1,
  major_faults = 9,
  children_major_faults = 10,
  user_time = 11,
  system_time = 12,
  children_user_time = 13,
  children_system_time = 14,
  threads = 17,
  last_cpu = 36
};

class ProcessStat {
 public:
  /// std::nullopt if `text` is none: the process is gone, or others may not read it.
  static std::optional<ProcessStat> parse(std::string text);

  std::string program() const { return text_.substr(name_, name_end_ - name_); }
  /// ' ' if there is none.
  char state() const;
  std::optional<double> number(StatWord word) const;

 private:
  ProcessStat(std::string text, std::size_t name, std::size_t name_end);

  std::string text_;
  std::size_t name_;
  std::size_t name_end_;
};

}  // namespace epochcast::telemetry
