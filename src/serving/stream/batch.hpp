// A batch of a stream, and the study's file format: a JSON array with one object for each item,
// {"idx": 7, "data": [3072 numbers], "label": 3} or {"idx": 7, "text": "...", "label": 1}. `idx` is
// the number of the batch; the data are 32 x 32 pixels: all red values, then green, then blue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::stream {

inline constexpr int picture_side = 32;  ///< Pixels.
inline constexpr std::size_t picture_bytes = std::size_t(3) * picture_side * picture_side;

/// A text or a picture; one of `text` and `planes` is used.
struct Item {
  std::string text;
  std::string planes;       ///< picture_bytes, as in the file; empty: the item is a text.
  std::int64_t label = -1;  ///< Number of the right class; -1: not known.
  std::string refused;      ///< Why this is no item; empty: it is one.

  bool operator==(const Item&) const = default;
};

struct Batch {
  std::string source;    ///< The stream that it belongs to.
  std::int64_t id = 0;   ///< Its number there; ids rise.
  double triggered = 0;  ///< When it was released, in seconds since 1970; 0: not known.
  std::vector<Item> items;
};

/// The file of a batch. `triggered` is a further key of each row, which readers of the study's
/// format ignore.
std::string to_json(const Batch& batch);

/// The items of such a file, and `triggered` of its first row. An item that is no text or picture
/// is kept with its reason. Throws Error "WHERE: ..." if `text` is no JSON array: perhaps only a
/// part of the file is written.
Batch parse_batch(std::string_view text, const std::string& where);

/// A hash of what is to be answered: the same for a batch that is delivered again, although it may
/// have been released again.
std::uint64_t content_hash(const Batch& batch);

/// What serve::Predictor::prepare takes: the text, or the bytes of a PNG file.
std::string input_bytes(const Item& item);

}  // namespace epochcast::stream
