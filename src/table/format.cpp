#include "src/table/format.hpp"

#include <algorithm>

namespace epochcast::table {

std::size_t display_width(std::string_view text) {
  const auto is_start = [](unsigned char c) { return (c & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_start));
}

}  // namespace epochcast::table
