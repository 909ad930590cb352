#include "jobs/live/log_tail.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/base/core/files.hpp"

namespace epochcast::jobs {

LogTail::LogTail(std::string path, std::int64_t most_bytes)
    : path_(std::move(path)), most_bytes_(most_bytes) {
  read_on();
}

void LogTail::start_over() {
  lines_.clear();
  first_ = 0;
  offset_ = -1;
  open_line_ = false;
  after_return_ = false;
}

void LogTail::read_on() {
  auto in = file_stream(path_);
  const std::int64_t size = in.seekg(0, std::ios::end).tellg();
  if (!in) {
    start_over();
    lines_.push_back(path_ + ": " + std::strerror(errno));
    return;
  }
  if (offset_ < 0 || size < offset_) {
    start_over();
    offset_ = std::max<std::int64_t>(0, size - most_bytes_);
    in.seekg(offset_);
    if (std::string cut; offset_ > 0 && std::getline(in, cut)) {
      offset_ += static_cast<std::int64_t>(cut.size()) + 1;
    }
  }
  if (size <= offset_) {
    return;
  }
  offset_ = std::max(offset_, size - most_bytes_);  // it grew by more than is kept
  std::string text(static_cast<std::size_t>(size - offset_), '\0');
  in.clear();
  in.seekg(offset_);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  offset_ += in.gcount();
  take(text);
}

void LogTail::take(const std::string& text) {
  constexpr std::size_t most_lines = 50'000;
  constexpr std::size_t tab = 8;
  for (const char c : text) {
    if (c == '\n' && std::exchange(after_return_, false)) {
      continue;  // CRLF is one end
    }
    after_return_ = c == '\r';
    if (!open_line_) {
      lines_.emplace_back();
      open_line_ = true;
    }
    if (c == '\n' || c == '\r') {
      open_line_ = false;
    } else if (c == '\t') {
      lines_.back().append(tab - lines_.back().size() % tab, ' ');
    } else {
      lines_.back() += c;
    }
  }
  while (lines_.size() > most_lines) {
    lines_.pop_front();
    ++first_;
  }
}

std::string LogTail::line(std::int64_t number) const {
  return number >= first() && number < end() ? lines_[static_cast<std::size_t>(number - first_)]
                                             : "";
}

}  // namespace epochcast::jobs
