#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/base/core/pending_file.hpp"
#include "src/training/weights/safetensors.hpp"

namespace epochcast::weights {
namespace {

/// Readers map the numbers into memory. All are aligned if the header is padded to whole words and
/// the widest types come first.
constexpr std::size_t word_bytes = 8;

TensorFile widest_first(TensorFile content) {
  std::stable_sort(
      content.tensors.begin(), content.tensors.end(),
      [](const TensorView& a, const TensorView& b) { return size_of(a.type) > size_of(b.type); });
  return content;
}

std::string header_text(const TensorFile& content) {
  auto header = nlohmann::ordered_json::object();
  if (!content.metadata.empty()) {
    header["__metadata__"] = content.metadata;
  }
  std::size_t begin = 0;
  for (const auto& tensor : content.tensors) {
    const auto end = begin + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", name_of(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  auto text = header.dump();
  text.resize((text.size() + word_bytes - 1) / word_bytes * word_bytes, ' ');
  return text;
}

std::string little_endian(std::uint64_t number) {
  std::string bytes;
  for (std::size_t i = 0; i < word_bytes; ++i, number >>= 8U) {
    bytes += static_cast<char>(number & 0xffU);
  }
  return bytes;
}

}  // namespace

void write_safetensors(const std::string& path, TensorFile content) {
  content = widest_first(std::move(content));
  PendingFile file(path);
  const auto header = header_text(content);
  file.write(little_endian(header.size()) + header);
  for (const auto& tensor : content.tensors) {
    file.write({reinterpret_cast<const char*>(tensor.bytes.data()),  // NOLINT: bytes as they are
                tensor.bytes.size()});
  }
  file.replace();
}

}  // namespace epochcast::weights
