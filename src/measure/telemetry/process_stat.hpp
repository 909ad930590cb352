// /proc/PID/stat of a process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/measure/telemetry/files.hpp"

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

struct ProcessStat {
  std::string program;
  std::string words;  ///< After its name.

  /// std::nullopt if `text` is none: the process is gone, or others may not read it.
  static std::optional<ProcessStat> parse(std::string_view text) {
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    return close != std::string_view::npos && open < close
               ? std::optional(ProcessStat{std::string(text.substr(open + 1, close - open - 1)),
                                           std::string(text.substr(close + 1))})
               : std::nullopt;
  }
  std::string_view word(StatWord which) const {
    return word_at(words, static_cast<std::size_t>(which));
  }
  /// ' ' if there is none.
  char state() const { return (std::string(word(StatWord::state)) + ' ').front(); }
  std::optional<double> number(StatWord which) const { return first_number(word(which)); }
};

}  // namespace epochcast::telemetry
