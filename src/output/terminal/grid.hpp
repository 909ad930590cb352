// What a full screen shows, as a value: cells with a text and a style. Drawn by pure functions,
// read by tests, and sent to a terminal by screen.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::terminal {

/// What a text means; the terminal decides on the colour, and does without where it has none.
enum class Style { plain, bold, dim, inverse, good, active, warning, bad };

struct Size {
  int rows = 0;
  int columns = 0;
  bool operator==(const Size&) const = default;
};

/// One column of one row: a character with its combining marks. The right half of a wide character
/// has an empty text.
struct Cell {
  std::string text = " ";
  Style style = Style::plain;
};

/// The columns that a terminal needs for `text` as `Grid::put` writes it.
int columns_of(std::string_view text);

class Grid {
 public:
  /// All cells are blank.
  explicit Grid(Size size);

  Size size() const { return size_; }
  const Cell& at(int row, int column) const;

  /// Writes `text` in one line from (row, column) on, with everything that could drive a terminal
  /// made visible (printable). A text of more than `width` columns, or one that reaches beyond the
  /// grid, ends with "…". A negative column cuts off the start of the text. Returns the column
  /// after the text.
  int put(int row, int column, std::string_view text, Style style = Style::plain, int width = 9999);
  /// As put, but the text ends before `end`.
  void put_right(int row, int end, std::string_view text, Style style = Style::plain);
  /// Changes the style of a whole row.
  void style_row(int row, Style style);

  /// The text of a row without blanks at its end.
  std::string line(int row) const;

 private:
  Cell* find(int row, int column);

  Size size_;
  std::vector<Cell> cells_;
};

}  // namespace epochcast::terminal
