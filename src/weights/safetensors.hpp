// safetensors, the file format in which hubs keep weights: a little-endian u64 (bytes of the
// header), a header in JSON
// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ..., "__metadata__":
// {"key": "text"}}, then the numbers. Format: github.com/huggingface/safetensors, README; the
// checks are those of its own reader (tensor.rs): the tensors fill everything after the header,
// without overlap or hole. Files come from strangers, so nothing in them is believed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/weights/data_type.hpp"
#include "src/weights/mapped_file.hpp"

namespace epochcast::weights {

/// A tensor in somebody else's memory, row by row.
struct TensorView {
  std::string name;
  DataType type = DataType::f32;
  std::vector<std::int64_t> shape;   ///< Empty: one number.
  std::span<const std::byte> bytes;  ///< Not aligned.
};

struct TensorFile {
  std::vector<TensorView> tensors;  ///< In the order of their bytes.
  std::map<std::string, std::string> metadata;
};

/// What `bytes` hold; the views are of these bytes. Throws Error "WHERE: ..." where they are no
/// safetensors, or damaged.
TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& where);

/// A file on disk, read as it is used.
class SafetensorsFile {
 public:
  /// Throws Error: cannot be read, or as parse_safetensors.
  explicit SafetensorsFile(const std::string& path)
      : file_(path), content_(parse_safetensors(file_.bytes(), path)) {}

  /// Valid as long as this.
  const std::vector<TensorView>& tensors() const { return content_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return content_.metadata; }

 private:
  MappedFile file_;
  TensorFile content_;
};

/// Writes `tensors`, each of as many bytes as its type and shape say, no name twice. Replaces the
/// file at `path` as a whole, or leaves it. Throws RunError if it cannot be written.
void write_safetensors(const std::string& path, TensorFile content);

}  // namespace epochcast::weights
