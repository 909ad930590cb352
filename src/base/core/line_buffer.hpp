// Whole lines from bytes that come in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace epochcast {

/// One line without its end, or what is known of it.
struct FileLine {
  std::string_view text;
  std::int64_t number = 0;  ///< From 1.
  bool too_long = false;    ///< Then `text` is only its beginning.
};

class LineBuffer {
 public:
  using Take = std::function<void(const FileLine&)>;

  /// Keeps at most `longest` bytes of a line that is not complete.
  explicit LineBuffer(std::size_t longest) : longest_(longest) {}

  /// Calls `take` for each line that is complete with these bytes.
  void add(std::string_view bytes, const Take& take);
  /// Calls `take` for the last line, if the bytes did not end with a line end.
  void finish(const Take& take);
  /// Forgets the half line, and counts lines from 1 again.
  void restart();

 private:
  void complete(const Take& take);

  std::size_t longest_;
  std::string begun_;
  bool too_long_ = false;
  std::int64_t lines_ = 0;
};

}  // namespace epochcast
