#include "src/serving/stream/batch.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/core/text.hpp"
#include "src/training/image/png_write.hpp"

namespace epochcast::stream {
namespace {

using nlohmann::json;

constexpr int file_depth = 3;  ///< Array, object, array of numbers.
constexpr int color_values = 256;

std::string planes_of(const json& data) {
  if (!data.is_array() || data.size() != picture_bytes) {
    throw Error(
        fmt::format("found 'data' with {} values, expected {}", data.size(), picture_bytes));
  }
  std::string planes;
  planes.reserve(picture_bytes);
  for (const auto& value : data) {
    if (!value.is_number_integer() || value < 0 || value >= color_values) {
      throw Error("found a value in 'data' that is not a whole number from 0 to 255");
    }
    planes.push_back(static_cast<char>(value.get<int>()));
  }
  return planes;
}

Item row_item(const json& row) {
  Item item;
  try {
    if (!row.is_object()) {
      throw Error("found an item that is no object");
    }
    if (const auto label = row.find("label"); label != row.end() && label->is_number_integer()) {
      item.label = label->get<std::int64_t>();
    }
    const auto text = row.find("text");
    const auto data = row.find("data");
    if ((text == row.end()) == (data == row.end())) {
      throw Error("expected either 'text' or 'data'");
    }
    if (data != row.end()) {
      item.planes = planes_of(*data);
    } else if (text->is_string()) {
      item.text = text->get<std::string>();
    } else {
      throw Error("found a 'text' that is no text");
    }
  } catch (const Error& error) {
    item.refused = error.what();
  }
  return item;
}

std::string data_text(const std::string& planes) {
  std::string text;
  for (const char value : planes) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", static_cast<unsigned char>(value));
  }
  return text;
}

}  // namespace

std::string to_json(const Batch& batch) {
  std::string text = "[";
  for (const auto& item : batch.items) {
    text += text.size() == 1 ? "\n" : ",\n";
    const auto content = item.planes.empty() ? fmt::format("\"text\":{}", json(item.text).dump())
                                             : fmt::format("\"data\":[{}]", data_text(item.planes));
    text += fmt::format("{{\"idx\":{},{},\"label\":{},\"triggered\":{}}}", batch.id, content,
                        item.label, format_shortest(batch.triggered));
  }
  return text + "\n]\n";
}

Batch parse_batch(std::string_view text, const std::string& where) {
  const auto rows = parse_strict_json(text, where, file_depth);
  if (!rows.is_array()) {
    throw Error(fmt::format("{}: found JSON that is no array of items", where));
  }
  Batch batch;
  for (const auto& row : rows) {
    batch.items.push_back(row_item(row));
  }
  if (!rows.empty() && rows[0].is_object()) {
    const auto triggered = rows[0].find("triggered");
    if (triggered != rows[0].end() && triggered->is_number()) {
      batch.triggered = triggered->get<double>();
    }
  }
  return batch;
}

std::uint64_t content_hash(const Batch& batch) {
  std::uint64_t hash = 0;
  for (const auto& item : batch.items) {
    hash = fnv1a(
        fmt::format("{}:{}:{}:{}:{}", hash, item.label, item.text.size(), item.text, item.planes));
  }
  return hash;
}

std::string input_bytes(const Item& item) {
  if (item.planes.empty()) {
    return item.text;
  }
  image::Image picture(picture_side, picture_side);
  constexpr std::size_t plane = picture_bytes / image::Image::channels;
  for (std::size_t i = 0; i < picture_bytes; ++i) {
    picture.pixels[i % plane * image::Image::channels + i / plane] =
        static_cast<std::uint8_t>(item.planes[i]);
  }
  return image::png_bytes(picture);
}

}  // namespace epochcast::stream
