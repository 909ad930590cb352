// Files of torch.save (.bin, .pt, .pth) since PyTorch 1.6: a zip file with a pickle (pickle.hpp)
// and the numbers of each storage as an entry. They are read without Python, and nothing in them is
// run. Format: torch/serialization.py, _save; caffe2/serialize/inline_container.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "src/training/weights/mapped_file.hpp"
#include "src/training/weights/safetensors.hpp"

namespace epochcast::weights {

/// Parses `bytes`; the returned views point into them, and may share bytes. The tensors are those
/// of the saved dictionary, or of its entry state_dict, model_state_dict or model; other values are
/// left out. Throws Error "WHERE: ..." if they are not such a file, are damaged, name anything but
/// tensors, or have a tensor that is not stored row by row.
TensorFile parse_torch_file(std::span<const std::byte> bytes, const std::string& where);

/// A file of weights, of the format that its first bytes show: safetensors, or torch.save's.
class WeightsFile {
 public:
  /// Throws Error if the file cannot be read, and like the parsers.
  explicit WeightsFile(const std::string& path);

  /// Valid during the lifetime of this object.
  const std::vector<TensorView>& tensors() const { return content_.tensors; }

  /// `part` of the bytes of one of tensors() is not needed for now.
  void forget(std::span<const std::byte> part) const { file_.forget(part); }

 private:
  MappedFile file_;
  TensorFile content_;
};

}  // namespace epochcast::weights
