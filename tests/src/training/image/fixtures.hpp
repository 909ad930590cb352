// Pictures and their files, made in code.
#pragma once

#include <cstddef>
#include <cstdio>
// jpeglib.h needs the two above
#include <jpeglib.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/training/image/image.hpp"
#include "src/training/image/png_write.hpp"
#include "tests/src/training/image/test_folder.hpp"

namespace epochcast::image::test {

/// A picture in which neighbours differ and no two channels agree.
inline Image pattern(int width, int height) {
  Image image{width, height};
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = std::uint8_t(i * 37 + i / 97 * 11);
  }
  return image;
}

using image::png_bytes;

struct JpegKind {
  J_COLOR_SPACE color = JCS_RGB;
  int channels = 3;
  bool progressive = false;
};

inline std::string jpeg_bytes(const Image& image, JpegKind kind = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = JDIMENSION(image.width);
  info.image_height = JDIMENSION(image.height);
  info.input_components = kind.channels;
  info.in_color_space = kind.color;
  jpeg_set_defaults(&info);
  if (kind.progressive) {
    jpeg_simple_progression(&info);
  }
  jpeg_start_compress(&info, TRUE);
  std::vector<std::uint8_t> row(std::size_t(image.width) * std::size_t(kind.channels));
  while (info.next_scanline < info.image_height) {
    const std::uint8_t* from = image.row(int(info.next_scanline));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = from[i % image.row_bytes()];
    }
    JSAMPROW start = row.data();
    jpeg_write_scanlines(&info, &start, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::string result(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return result;
}

}  // namespace epochcast::image::test
