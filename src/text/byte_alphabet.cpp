#include "src/text/byte_alphabet.hpp"

#include <array>

#include "src/text/utf8.hpp"

namespace epochcast::text {
namespace {

constexpr int bytes = 256;

std::array<char32_t, bytes> make_alphabet() {
  std::array<char32_t, bytes> letters{};
  char32_t next = bytes;
  for (char32_t byte = 0; byte < bytes; ++byte) {
    const bool seen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174);
    letters[byte] = seen ? byte : next++;
  }
  return letters;
}

const std::array<char32_t, bytes>& alphabet() {
  static const auto letters = make_alphabet();
  return letters;
}

/// Of every letter its byte, elsewhere -1. The last letter is that of byte 173.
std::array<int, 2 * bytes> make_inverse() {
  std::array<int, 2 * bytes> inverse{};
  inverse.fill(-1);
  for (int byte = 0; byte < bytes; ++byte) {
    inverse[alphabet()[byte]] = byte;
  }
  return inverse;
}

}  // namespace

std::string letters_of(std::string_view bytes_) {
  std::string letters;
  for (const char byte : bytes_) {
    append_utf8(alphabet()[static_cast<unsigned char>(byte)], letters);
  }
  return letters;
}

std::optional<std::string> bytes_of_letters(std::string_view letters) {
  static const auto inverse = make_inverse();
  std::string result;
  for (std::size_t at = 0; at < letters.size();) {
    const char32_t letter = next_code_point(letters, at);
    if (letter >= inverse.size() || inverse[letter] < 0) {
      return std::nullopt;
    }
    result += char(inverse[letter]);
  }
  return result;
}

}  // namespace epochcast::text
