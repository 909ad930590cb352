// Decodes JPEG with libjpeg. libjpeg reports errors by longjmp, so every call runs inside
// guarded(). The steps of guarded() own nothing that a destructor would have to free; buffers
// belong to the function that calls guarded().
#include <cstddef>
#include <cstdio>
// jpeglib.h needs the two headers above
#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <string>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/training/image/codec.hpp"

namespace epochcast::image::codec {
namespace {

/// Converts CMYK as Adobe stores it, inverted, with the arithmetic of PIL.
void rgb_from_inverted_cmyk(const std::uint8_t* cmyk, std::uint8_t* rgb, int width) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += Image::channels) {
    const int light = cmyk[3];
    for (int c = 0; c < Image::channels; ++c) {
      const int product = (255 - cmyk[c]) * light + 128;
      rgb[c] = std::uint8_t(std::max(0, light - (((product >> 8) + product) >> 8)));
    }
  }
}

class JpegReader {
 public:
  JpegReader(std::span<const std::uint8_t> bytes, std::int64_t max_pixels)
      : bytes_(bytes), max_pixels_(max_pixels) {
    info_.err = jpeg_std_error(&errors_);
    info_.client_data = this;
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    progress_.progress_monitor = on_progress;
    guarded([this] { jpeg_create_decompress(&info_); });
    info_.progress = &progress_;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(JpegReader&&) = delete;

  Image read() {
    guarded([this] {
      jpeg_mem_src(&info_, bytes_.data(), static_cast<unsigned long>(bytes_.size()));
      jpeg_read_header(&info_, TRUE);
    });
    check_size(info_.image_width, info_.image_height, {max_pixels_, bytes_.size()});
    Image image{int(info_.image_width), int(info_.image_height)};
    const bool cmyk = info_.num_components == 4;
    info_.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    std::vector<std::uint8_t> cmyk_row(cmyk ? std::size_t(image.width) * 4 : 0);

    guarded([&] {
      jpeg_start_decompress(&info_);
      while (info_.output_scanline < info_.output_height) {
        std::uint8_t* to = image.row(int(info_.output_scanline));
        JSAMPROW row = cmyk ? cmyk_row.data() : to;
        jpeg_read_scanlines(&info_, &row, 1);
        if (cmyk) {
          rgb_from_inverted_cmyk(row, to, image.width);
        }
      }
    });
    return image;
  }

 private:
  template <class Step>
  void guarded(Step step) {
    if (setjmp(jump_) != 0) {
      throw Error(std::string("damaged JPEG: ") + message_.data());
    }
    step();
  }

  static JpegReader& self(j_common_ptr info) {
    return *static_cast<JpegReader*>(info->client_data);
  }

  [[noreturn]] static void on_error(j_common_ptr info) {
    JpegReader& reader = self(info);
    info->err->format_message(info, reader.message_.data());
    std::longjmp(reader.jump_, 1);
  }

  /// libjpeg only warns about a truncated file and would fill the rest with gray.
  static void on_message(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) {
      on_error(info);
    }
  }

  /// Thousands of scans of a large image, each a few bytes long, would take hours. An encoder
  /// makes about ten.
  static void on_progress(j_common_ptr info) {
    constexpr std::int64_t max_pixels_of_all_scans = 1'000'000'000;
    const auto& jpeg = *reinterpret_cast<j_decompress_ptr>(info);
    const auto pixels = std::int64_t(jpeg.image_width) * jpeg.image_height;
    const auto max_scans = std::clamp<std::int64_t>(max_pixels_of_all_scans / pixels, 25, 500);
    if (jpeg.input_scan_number > max_scans) {
      auto& message = self(info).message_;
      *fmt::format_to_n(message.data(), message.size() - 1, "more than {} scans", max_scans).out =
          '\0';
      std::longjmp(self(info).jump_, 1);
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::int64_t max_pixels_;
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

}  // namespace

Image decode_jpeg(std::span<const std::uint8_t> bytes, std::int64_t max_pixels) {
  return JpegReader(bytes, max_pixels).read();
}

}  // namespace epochcast::image::codec
