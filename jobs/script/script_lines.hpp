// Builds the text of a script line by line.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace epochcast::jobs {

class Lines {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// The same without placeholders; `line` may be several lines.
  void raw(std::string_view line) { (text_ += line) += '\n'; }
  /// Lines that are complete already.
  void text_of(std::string_view lines) { text_ += lines; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace epochcast::jobs
