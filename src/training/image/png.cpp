// Decodes PNG with libpng. libpng reports errors by longjmp, so every call runs inside guarded().
// The steps of guarded() own nothing that a destructor would have to free; buffers belong to the
// function that calls guarded().
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <string>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/training/image/codec.hpp"

namespace epochcast::image::codec {
namespace {

class PngReader {
 public:
  PngReader(std::span<const std::uint8_t> bytes, std::int64_t max_pixels)
      : rest_(bytes), limits_{max_pixels, bytes.size()} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error,
                                  [](png_structp, png_const_charp) {});
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw Error("no memory for the PNG decoder");
    }
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(PngReader&&) = delete;

  Image read() {
    guarded([this] { read_header(); });
    const png_uint_32 width = png_get_image_width(png_, info_);
    const png_uint_32 height = png_get_image_height(png_, info_);
    check_size(width, height, limits_);
    guarded([this] { request_rgb(); });

    Image image{int(width), int(height)};
    if (is_grey16()) {
      read_grey16(image);
    } else {
      read_rows(image.pixels.data(), image.row_bytes(), height);
    }
    return image;
  }

 private:
  template <class Step>
  void guarded(Step step) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      throw Error(std::string("damaged PNG: ") + message_.data());
    }
    step();
  }

  void read_header() {
    // Text, color profiles and similar chunks are skipped unread: they change no pixel, and
    // malicious ones take time.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_read_fn(png_, this, on_read);
    png_read_info(png_, info_);
  }

  bool is_grey16() const {
    return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY &&
           png_get_bit_depth(png_, info_) == 16;
  }

  void request_rgb() {
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) {
      png_set_palette_to_rgb(png_);
    }
    if (!is_grey16()) {
      png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_16(png_);
      png_set_gray_to_rgb(png_);
      png_set_strip_alpha(png_);
    }
    png_set_interlace_handling(png_);
  }

  void read_rows(std::uint8_t* first, std::size_t row_bytes, png_uint_32 rows) {
    std::vector<png_bytep> starts(rows);
    for (png_uint_32 y = 0; y < rows; ++y) {
      starts[y] = first + row_bytes * y;
    }
    guarded([&] { png_read_image(png_, starts.data()); });
  }

  void read_grey16(Image& image) {
    const std::size_t row_bytes = std::size_t(image.width) * 2;
    std::vector<std::uint8_t> big_endian(row_bytes * std::size_t(image.height));
    read_rows(big_endian.data(), row_bytes, png_uint_32(image.height));
    for (std::size_t pixel = 0; pixel < big_endian.size() / 2; ++pixel) {
      const bool beyond_8_bits = big_endian[2 * pixel] != 0;
      const std::uint8_t grey = beyond_8_bits ? 255 : big_endian[2 * pixel + 1];
      std::memset(&image.pixels[pixel * Image::channels], grey, Image::channels);
    }
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& message = static_cast<PngReader*>(png_get_error_ptr(png))->message_;
    std::strncpy(message.data(), text, message.size() - 1);
    png_longjmp(png, 1);
  }

  static void on_read(png_structp png, png_bytep to, std::size_t count) {
    auto& rest = static_cast<PngReader*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) {
      png_error(png, "the file ends too early");
    }
    std::memcpy(to, rest.data(), count);
    rest = rest.subspan(count);
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::span<const std::uint8_t> rest_;
  SizeLimits limits_;
  std::array<char, 160> message_{};
};

}  // namespace

Image decode_png(std::span<const std::uint8_t> bytes, std::int64_t max_pixels) {
  return PngReader(bytes, max_pixels).read();
}

}  // namespace epochcast::image::codec
