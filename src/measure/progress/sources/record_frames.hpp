// TFRecord: the frames in which TensorBoard's event files hold one protobuf message each. A frame
// is length, checksum of the length, bytes, checksum of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "src/measure/progress/sources/remarks.hpp"

namespace epochcast::progress::sources {

/// The checksum of such a file: CRC-32C, rotated and shifted by a constant.
std::uint32_t masked_crc32c(std::string_view bytes);

/// The frame that holds `message`.
std::string frame_of(std::string_view message);

/// Whether the bytes begin with the frame of such a file.
bool begins_with_frame(std::string_view bytes);

class RecordFrames {
 public:
  /// Calls `take` for each message that is complete with these bytes and whole. Messages of more
  /// than 1 MiB (graphs, images) are passed over. After a damaged length nothing more is found.
  void add(std::string_view bytes, const std::function<void(std::string_view)>& take);
  void restart();

  const Remarks& remarks() const { return remarks_; }

 private:
  /// The size of the frame at the start of `bytes`; 0 if it is not complete.
  std::size_t take_frame(std::string_view bytes, const std::function<void(std::string_view)>& take);

  std::string held_;
  std::uint64_t pass_over_ = 0;  ///< Bytes still to come that nobody needs.
  std::uint64_t offset_ = 0;     ///< In the file, of `held_`.
  bool lost_ = false;
  Remarks remarks_;
};

}  // namespace epochcast::progress::sources
