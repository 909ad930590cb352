#include "src/training/image/decode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "src/base/core/error.hpp"
#include "tests/fuzz.hpp"
#include "tests/src/training/image/fixtures.hpp"

namespace epochcast::image {
namespace {

using test::jpeg_bytes;
using test::pattern;
using test::TestFolder;
using ::testing::HasSubstr;

Image decode(const std::string& bytes) {
  // of exactly their size, so that the sanitizer sees one byte too many
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  return decode_image(exact, "a.png");
}

/// The error that decoding gives, or "decoded".
std::string decode_error(const std::string& bytes) {
  try {
    decode(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), exit_bad_input);
    return error.what();
  }
  return "decoded";
}

/// Gives every chunk of a PNG its right checksum again.
void mend_checksums(std::string& png) {
  const auto number_at = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | std::uint8_t(png[at + i]);
    }
    return value;
  };
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t length = number_at(at);
    if (length > png.size() - at - 12) {
      return;
    }
    const auto* kind = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    const auto checksum = std::uint32_t(crc32(0, kind, uInt(length + 4)));
    for (std::size_t i = 0; i < 4; ++i) {
      png[at + 8 + length + i] = char(checksum >> (24 - 8 * i));
    }
    at += length + 12;
  }
}

/// A small PNG whose header claims `width` x `height`.
std::string png_claiming(std::uint32_t width, std::uint32_t height) {
  std::string png = png_bytes(pattern(4, 4));
  for (std::size_t i = 0; i < 4; ++i) {
    png[16 + i] = char(width >> (24 - 8 * i));
    png[20 + i] = char(height >> (24 - 8 * i));
  }
  mend_checksums(png);
  return png;
}

/// A small JPEG whose frame header claims `width` x `height`.
std::string jpeg_claiming(unsigned width, unsigned height) {
  std::string jpeg = jpeg_bytes(pattern(8, 8));
  const std::size_t frame = jpeg.find("\xff\xc0");
  const unsigned claimed[] = {height >> 8, height & 255U, width >> 8, width & 255U};
  std::copy(std::begin(claimed), std::end(claimed), jpeg.begin() + std::ptrdiff_t(frame) + 5);
  return jpeg;
}

TEST(Decode, GivesBackWhatWasWritten) {
  const Image image = pattern(31, 17);
  EXPECT_EQ(decode(png_bytes(image)), image);
}

TEST(Decode, ContentDecidesAndNotTheName) {
  const TestFolder folder;
  EXPECT_EQ(read_image(folder.write("jpeg.png", jpeg_bytes(pattern(20, 10)))).width, 20);
  EXPECT_EQ(read_image(folder.write("png.jpg", png_bytes(pattern(20, 10)))).width, 20);
}

TEST(Decode, BadContentIsOneClearLine) {
  const std::string png = png_bytes(pattern(40, 40));
  const std::string jpeg = jpeg_bytes(pattern(40, 40));
  const struct {
    std::string bytes;
    std::string says;
  } cases[] = {
      {"", "a.png: empty file, expected PNG or JPEG"},
      {"hello", "a.png: found neither PNG nor JPEG content"},
      {"GIF89a...", "a.png: found GIF content, expected PNG or JPEG"},
      {std::string("II*\0....", 8), "a.png: found TIFF content, expected PNG or JPEG"},
      {png.substr(0, 8), "a.png: damaged PNG: the file ends too early"},
      {png.substr(0, 20), "a.png: damaged PNG: the file ends too early"},
      {png.substr(0, png.size() / 2), "a.png: damaged PNG: the file ends too early"},
      {jpeg.substr(0, 10), "a.png: damaged JPEG: "},
      {jpeg.substr(0, jpeg.size() / 2), "a.png: damaged JPEG: Premature end of JPEG file"},
      {png_claiming(0, 4), "a.png: damaged PNG: Invalid IHDR data"},
      {png_claiming(30000, 30000),
       "a.png: found a picture of 30000 x 30000 pixels, expected at most 200 million pixels"},
      {png_claiming(2147483647, 2147483647), "expected at most 200 million pixels"},
      {png_claiming(1, 39'999'999),
       "a.png: found a picture of 1 x 39999999 pixels, expected at most 65535 on each side"},
      {png_claiming(65536, 1), "65536 x 1 pixels, expected at most 65535 on each side"},
      {png_claiming(10000, 10000),
       "bytes for a picture of 10000 x 10000 pixels, which cannot be all of it"},
      {jpeg_claiming(0, 8), "a.png: damaged JPEG: Empty JPEG image"},
      {jpeg_claiming(60000, 60000),
       "a.png: found a picture of 60000 x 60000 pixels, expected at most 200 million"},
  };
  for (const auto& bad : cases) {
    EXPECT_THAT(decode_error(bad.bytes), HasSubstr(bad.says));
    EXPECT_EQ(decode_error(bad.bytes).find('\n'), std::string::npos);
  }
}

TEST(Decode, EveryTruncationIsAnErrorOrThePicture) {
  const Image image = pattern(23, 19);
  const std::string png = png_bytes(image);
  for (std::size_t size = 0; size < png.size(); ++size) {
    const std::string cut = png.substr(0, size);
    const std::string error = decode_error(cut);
    if (error == "decoded") {
      EXPECT_EQ(decode(cut), image) << size;
    }
  }
}

std::string with_many_scans(const Image& image) {
  std::string jpeg = jpeg_bytes(image, {.progressive = true});
  const std::size_t scan = jpeg.rfind("\xff\xda");
  const std::string last = jpeg.substr(scan, jpeg.size() - scan - 2);
  jpeg.resize(jpeg.size() - 2);
  for (int i = 0; i < 1000; ++i) {
    jpeg += last;
  }
  return jpeg + "\xff\xd9";
}

TEST(Decode, AJpegOfManyScansIsRefusedTheEarlierTheLargerItIs) {
  EXPECT_EQ(decode_error(with_many_scans(pattern(16, 16))),
            "a.png: damaged JPEG: more than 500 scans");
  EXPECT_EQ(decode_error(with_many_scans(Image(2500, 4000))),
            "a.png: damaged JPEG: more than 100 scans");
}

TEST(Decode, AMissingFileAndAFolderAreNamed) {
  const TestFolder folder;
  EXPECT_THROW(
      try { read_image(folder.path("none.png")); } catch (const Error& error) {
        EXPECT_EQ(error.what(),
                  folder.path("none.png") + ": cannot be read: No such file or directory");
        throw;
      },
      Error);
  EXPECT_THROW(read_image(folder.path()), Error);
  EXPECT_THROW(check_image_header(folder.path()), Error);
}

TEST(Decode, TheHeaderAloneDistinguishesAnImageFromAnotherFile) {
  const TestFolder folder;
  EXPECT_NO_THROW(
      check_image_header(folder.write("half.png", png_bytes(pattern(9, 9)).substr(0, 60))));
  EXPECT_THROW(check_image_header(folder.write("text.png", "not an image")), Error);
  EXPECT_THROW(check_image_header(folder.write("empty.png", "")), Error);
}

TEST(DecodeFuzz, DamagedFilesGiveAPictureOrOneLine) {
  const std::vector<std::string> whole{
      png_bytes(pattern(33, 21)),
      jpeg_bytes(pattern(33, 21)),
      jpeg_bytes(pattern(33, 21), {.progressive = true}),
      jpeg_bytes(pattern(33, 21), {.color = JCS_GRAYSCALE, .channels = 1}),
      jpeg_bytes(pattern(33, 21), {.color = JCS_CMYK, .channels = 4}),
  };
  tests::Damage damage(2, {"\xff", std::string(1, '\0'), "\xff\xc0", "\xff\xc4", "\xff\xda",
                           "\xff\xd9", "\x7f\xff\xff\xff", "IHDR", "PLTE", "IDAT", "IEND", "tRNS"});
  tests::fuzz(tests::fuzz_inputs(2'000), "a.png: ", [&] {
    std::string bytes = damage.of(whole[damage.below(whole.size())]);
    if (bytes.starts_with("\x89PNG") && damage.below(2) == 0) {
      mend_checksums(bytes);
    }
    const Image image = decode(bytes);
    ASSERT_EQ(image.pixels.size(), image.row_bytes() * std::size_t(image.height));
    ASSERT_GT(image.pixels.size(), 0U);
  });
}

}  // namespace
}  // namespace epochcast::image
