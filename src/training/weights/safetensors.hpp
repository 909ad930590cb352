// safetensors, the file format in which hubs store weights: a little-endian u64 (length of the
// header in bytes), a JSON header
// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ..., "__metadata__":
// {"key": "text"}},
// and the numbers. Format: github.com/huggingface/safetensors, README. The checks are those of its
// own reader (tensor.rs): the tensors cover everything after the header, without overlaps or gaps.
// Files come from unknown sources, so every value in them is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/training/weights/mapped_file.hpp"

namespace epochcast::weights {

/// The types of the safetensors format that LibTorch also has; little-endian.
enum class DataType { boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64 };

/// The name in the format: "BF16".
std::string_view name_of(DataType type);

/// Number of bytes of one value.
std::size_t size_of(DataType type);

/// The type with that name; std::nullopt if there is none.
std::optional<DataType> data_type_called(std::string_view name);

/// All names, separated by commas.
std::string data_type_names();

/// A tensor in memory that it does not own, row by row.
struct TensorView {
  std::string name;
  DataType type = DataType::f32;
  std::vector<std::int64_t> shape;   ///< Empty: a single number.
  std::span<const std::byte> bytes;  ///< Not aligned.
};

struct TensorFile {
  std::vector<TensorView> tensors;  ///< In the order of their bytes.
  std::map<std::string, std::string> metadata;
};

/// Parses `bytes`; the returned views point into them. Throws Error "WHERE: ..." if they are not
/// safetensors or are damaged.
TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& where);

/// A file on disk, which is read when its tensors are used.
class SafetensorsFile {
 public:
  /// Throws Error if the file cannot be read, and like parse_safetensors.
  explicit SafetensorsFile(const std::string& path)
      : file_(path), content_(parse_safetensors(file_.bytes(), path)) {}

  /// Valid during the lifetime of this object.
  const std::vector<TensorView>& tensors() const { return content_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return content_.metadata; }

 private:
  MappedFile file_;
  TensorFile content_;
};

/// Writes `tensors`; each must have the number of bytes of its type and shape, and names must be
/// unique. Replaces the file at `path` completely or not at all. Throws RunError if it cannot be
/// written.
void write_safetensors(const std::string& path, TensorFile content);

}  // namespace epochcast::weights
