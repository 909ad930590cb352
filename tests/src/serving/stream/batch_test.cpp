// The study's file format.
#include "src/serving/stream/batch.hpp"

#include <gtest/gtest.h>

#include "src/base/core/error.hpp"
#include "src/training/image/decode.hpp"
#include "tests/files.hpp"

namespace epochcast::stream {
namespace {

Item picture() {
  Item item{.planes = std::string(picture_bytes, '\0'), .label = 3};
  for (std::size_t i = 0; i < picture_bytes; ++i) {
    item.planes[i] = static_cast<char>(i * 7);
  }
  return item;
}

Batch batch() {
  return {.source = "s",
          .id = 7,
          .triggered = 1700000000.25,
          .items = {picture(), {.text = "Gr\u00fc\u00dfe \"\\\n\u2603", .label = 1}, {.text = ""}}};
}

TEST(StreamBatch, SurvivesItsFile) {
  const auto read = parse_batch(to_json(batch()), "f");
  EXPECT_EQ(read.items, batch().items);
  EXPECT_EQ(read.triggered, batch().triggered);
}

TEST(StreamBatch, ReadsTheFilesOfTheStudy) {
  std::string data;
  for (std::size_t i = 0; i < picture_bytes; ++i) {
    data += (i == 0 ? "" : ", ") + std::to_string(i % 256);
  }
  const auto read = parse_batch("[{\"idx\": 4, \"data\": [" + data + "], \"label\": 9}]", "f");
  ASSERT_EQ(read.items.size(), 1);
  EXPECT_EQ(read.items[0].refused, "");
  EXPECT_EQ(read.items[0].label, 9);
  EXPECT_EQ(static_cast<unsigned char>(read.items[0].planes[300]), 44);
  EXPECT_EQ(read.triggered, 0);
}

TEST(StreamBatch, PartOfAFileIsNoBatch) {
  Batch small = batch();
  small.items.erase(small.items.begin());
  auto text = to_json(small);
  text.pop_back();  // the end of the last line
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(parse_batch(text.substr(0, size), "f"), Error) << size;
  }
}

TEST(StreamBatch, KeepsWhatIsNoItemWithItsReason) {
  const auto read = parse_batch(
      R"([1, {"idx": 1}, {"text": 4}, {"data": [1, 2]}, {"text": "a", "data": []}, {"text": "ok"}])",
      "f");
  ASSERT_EQ(read.items.size(), 6);
  EXPECT_EQ(read.items[0].refused, "found an item that is no object");
  EXPECT_EQ(read.items[1].refused, "expected either 'text' or 'data'");
  EXPECT_EQ(read.items[2].refused, "found a 'text' that is no text");
  EXPECT_EQ(read.items[3].refused, "found 'data' with 2 values, expected 3072");
  EXPECT_EQ(read.items[4].refused, "expected either 'text' or 'data'");
  EXPECT_EQ(read.items[5].refused, "");
}

TEST(StreamBatch, RefusesValuesThatAreNoColors) {
  auto text = to_json({.items = {picture()}});
  text.replace(text.find("[0,7,"), 5, "[256,7,");
  EXPECT_EQ(parse_batch(text, "f").items[0].refused,
            "found a value in 'data' that is not a whole number from 0 to 255");
}

TEST(StreamBatch, AnEmptyBatchIsOne) {
  EXPECT_TRUE(parse_batch("[]", "f").items.empty());
}

TEST(StreamBatch, PictureBecomesAPngOfTheSamePixels) {
  const auto item = picture();
  const auto bytes = input_bytes(item);
  const auto decoded =
      image::decode_image({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "p");
  ASSERT_EQ(decoded.width, picture_side);
  ASSERT_EQ(decoded.height, picture_side);
  for (std::size_t pixel = 0; pixel < 1024; ++pixel) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      EXPECT_EQ(decoded.pixels[pixel * 3 + channel],
                static_cast<std::uint8_t>(item.planes[channel * 1024 + pixel]));
    }
  }
}

TEST(StreamBatch, HashIsOfWhatIsAnswered) {
  auto again = batch();
  again.triggered = 1;
  EXPECT_EQ(content_hash(again), content_hash(batch()));
  again.items[1].text += "x";
  EXPECT_NE(content_hash(again), content_hash(batch()));
}

}  // namespace
}  // namespace epochcast::stream
