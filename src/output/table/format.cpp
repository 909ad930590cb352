#include "src/output/table/format.hpp"

#include "src/base/text/unicode.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::table {

std::size_t display_width(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    columns += text::unicode::columns(text::next_code_point(text, at));
  }
  return static_cast<std::size_t>(columns);
}

}  // namespace epochcast::table
