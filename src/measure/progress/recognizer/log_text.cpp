#include "src/measure/progress/recognizer/log_text.hpp"

#include <algorithm>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/recognizer/candidates.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t mib = std::size_t(1) << 20;
constexpr std::size_t large = 64 * mib;
constexpr std::size_t most = 96 * mib;  // the rows of as many lines of steps are below 1 GiB

bool ends_a_line(char c) {
  return c == '\n' || c == '\r' || c == '\b';
}

}  // namespace

LogText::LogText(std::string file, const std::string& format, const std::string& pattern)
    : file_(std::move(file)), hints_(Candidates(format, pattern).hints()) {}

void LogText::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = std::size_t(std::ranges::find_if(bytes, ends_a_line) - bytes.begin());
    const auto kept = std::min(size, mib - std::min(mib, text_.size() - line_begin_));
    text_ += bytes.substr(0, kept);
    cuts_ = cuts_ || kept < size;
    if (size == bytes.size()) {
      return;
    }
    end_line(bytes.substr(size, 1));
    bytes.remove_prefix(size + 1);
  }
}

void LogText::end_line(std::string_view end) {
  cut_ += std::exchange(cuts_, false) ? 1 : 0;
  text_ += end;
  if (text_.size() > large && !is_large_) {
    filter();
  } else if (is_large_ && !hints_.empty() && hints_.find(text_, line_begin_) == text_.npos) {
    text_.resize(line_begin_);
    ++left_out_;
  }
  line_begin_ = text_.size();
  if (text_.size() > most) {
    throw Error(file_ +
                ": found more than 96 MiB of lines with progress, which memory may not hold; give "
                "a part of "
                "the log at a time, or only its lines of epochs, such as those that grep finds");
  }
}

void LogText::filter() {
  const auto all = std::exchange(text_, {});
  line_begin_ = 0;
  for (std::string_view rest = all; !rest.empty();) {
    is_large_ = text_.size() > mib;
    const auto size = std::size_t(std::ranges::find_if(rest, ends_a_line) - rest.begin());
    text_ += rest.substr(0, size);
    end_line(rest.substr(size, 1));
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  is_large_ = true;
}

std::string LogText::take() {
  if (line_begin_ < text_.size()) {
    end_line("");
  }
  return std::move(text_);
}

std::vector<std::string> LogText::notes() const {
  std::vector<std::string> notes;
  if (cut_ > 0) {
    notes.push_back(file_ + ": " + counted(cut_, "line") + " of more than 1 MiB, cut there");
  }
  if (left_out_ > 0) {
    notes.push_back(file_ + ": " + counted(left_out_, "line") +
                    " without a word of progress not read: the log is larger than 64 MiB");
  }
  return notes;
}

}  // namespace epochcast::progress
