#include "src/training/text/bert_words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/text/unicode.hpp"
#include "src/base/text/utf8.hpp"
#include "src/training/text/bert_characters.hpp"

namespace epochcast::text {
namespace {

enum class Kind : std::uint8_t { dropped, space, punctuation, part };

Kind character_kind(char32_t code) {
  if (code == 0 || code == replacement_character || bert::is_control(code)) {
    return Kind::dropped;
  }
  if (unicode::is_white_space(code)) {
    return Kind::space;
  }
  return bert::is_punctuation(code) ? Kind::punctuation : Kind::part;
}

std::array<Kind, 128> ascii_kinds() {
  std::array<Kind, 128> kinds{};
  for (char32_t code = 0; code < kinds.size(); ++code) {
    kinds[code] = character_kind(code);
  }
  return kinds;
}

class Splitter {
 public:
  explicit Splitter(const WordSink& take) : take_(take) {}

  void split(std::string_view text) {
    static const std::array<Kind, 128> ascii = ascii_kinds();
    for (std::size_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte >= 0x80) {
        add_any(next_code_point(text, at));
        continue;
      }
      ++at;
      add_ascii(char(byte), ascii[byte]);
    }
    end_word();
  }

 private:
  /// A mark that waits to be put into canonical order.
  struct Mark {
    int combining_class;
    char32_t code;
  };

  void add_ascii(char c, Kind kind) {
    if (kind == Kind::dropped) {
      return;  // before all else: the marks on both sides of a dropped character form one run
    }
    settle();
    if (kind == Kind::part) {
      word_ += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
      ++length_;
      return;
    }
    give_word();
    if (kind == Kind::punctuation) {
      take_({&c, 1}, 1);
    }
  }

  void add_any(char32_t code) {
    const Kind kind = character_kind(code);
    if (kind == Kind::space || bert::is_ideograph(code)) {
      end_word();
    }
    if (kind == Kind::punctuation || kind == Kind::part) {
      add_decomposed(code);
    }
    if (bert::is_ideograph(code)) {
      end_word();
    }
  }

  void add_decomposed(char32_t code) {
    char32_t parts[unicode::max_parts];
    const int count = bert::decompose(code, parts);
    for (int i = 0; i < count; ++i) {
      const int combining_class = bert::combining_class(parts[i]);
      if (combining_class == 0) {
        settle();
      }
      if (bert::is_nonspacing_mark(parts[i])) {
        continue;  // after settle(): a dropped mark of class 0 also ends a run of marks
      }
      if (combining_class == 0) {
        put(parts[i]);
      } else {
        marks_.push_back({combining_class, parts[i]});
      }
    }
  }

  /// Appends the waiting marks in canonical order.
  void settle() {
    if (marks_.empty()) {
      return;
    }
    std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) {
      return a.combining_class < b.combining_class;
    });
    for (const Mark& mark : marks_) {
      put(mark.code);
    }
    marks_.clear();
  }

  void put(char32_t code) {
    code = bert::lower_case(code);
    const bool alone = bert::is_punctuation(code);
    if (alone) {
      give_word();
    }
    append_utf8(code, word_);
    ++length_;
    if (alone) {
      give_word();
    }
  }

  void end_word() {
    settle();
    give_word();
  }

  void give_word() {
    if (length_ > 0) {
      take_(word_, length_);
      word_.clear();
      length_ = 0;
    }
  }

  const WordSink& take_;
  std::string word_;
  std::size_t length_ = 0;  ///< Length of the word in code points.
  std::vector<Mark> marks_;
};

}  // namespace

void for_each_bert_word(std::string_view text, const WordSink& take) {
  Splitter(take).split(text);
}

}  // namespace epochcast::text
