#include "src/base/core/line_buffer.hpp"

namespace epochcast {

void LineBuffer::add(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    const auto room = longest_ - begun_.size();
    too_long_ = too_long_ || part.size() > room;
    begun_.append(part.substr(0, room));
    if (end == std::string_view::npos) {
      return;
    }
    complete(take);
    bytes.remove_prefix(end + 1);
  }
}

void LineBuffer::finish(const Take& take) {
  if (!begun_.empty()) {
    complete(take);
  }
}

void LineBuffer::restart() {
  begun_.clear();
  too_long_ = false;
  lines_ = 0;
}

void LineBuffer::complete(const Take& take) {
  take({.text = begun_, .number = ++lines_, .too_long = too_long_});
  begun_.clear();
  too_long_ = false;
}

}  // namespace epochcast
