#include "src/measure/progress/recognizer/log_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/recognizer/candidates.hpp"

namespace epochcast::progress {

LogText read_log_text(const std::string& file, const std::string& format,
                      const std::string& pattern) {
  constexpr std::size_t mib = std::size_t(1) << 20;
  constexpr std::size_t large = 64 * mib;
  constexpr std::size_t most = 96 * mib;  // the rows of as many lines of steps are below 1 GiB
  const Hints hints(Candidates(format, pattern).hints());  // none: any line may tell something
  LogText log;
  std::string line, telling;
  std::size_t cut = 0, left_out = 0;
  const auto ends_a_line = [](char c) { return c == '\n' || c == '\r' || c == '\b'; };
  const auto end_line = [&](std::string_view end) {
    cut += line.size() > mib ? 1 : 0;
    line.resize(std::min(line.size(), mib));
    line += end;
    if (log.text.size() <= large) {
      log.text += line;
    }
    if (telling.size() < mib || hints.empty() || hints.find(line, 0) != line.npos) {
      telling += line;
    } else {
      ++left_out;
    }
    line.clear();
    if (telling.size() > most) {
      throw Error(file +
                  ": found more than 96 MiB of lines with progress, which memory may not hold; "
                  "give a part of the log at a time, or only its lines of epochs, such as those "
                  "that grep finds");
    }
  };
  read_parts_or_gzip(file, [&](std::string_view part) {
    while (!part.empty()) {
      const auto size = std::size_t(std::ranges::find_if(part, ends_a_line) - part.begin());
      line += part.substr(0, std::min(size, mib + 1 - line.size()));
      if (size == part.size()) {
        return;
      }
      end_line(part.substr(size, 1));
      part.remove_prefix(size + 1);
    }
  });
  end_line("");
  if (cut > 0) {
    log.notes.push_back(file + ": " + counted(cut, "line") + " of more than 1 MiB, cut there");
  }
  if (log.text.size() > large) {
    log.text = std::move(telling);
    if (left_out > 0) {
      log.notes.push_back(file + ": " + counted(left_out, "line") +
                          " without a word of progress not read: the log is larger than 64 MiB");
    }
  }
  return log;
}

}  // namespace epochcast::progress
