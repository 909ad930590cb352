#include "src/training/torch/network/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "src/base/core/error.hpp"
#include "src/training/weights/names.hpp"
#include "src/training/weights/safetensors.hpp"
#include "src/training/weights/torch_file.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

constexpr std::array<std::pair<weights::DataType, torch::ScalarType>, 10> tensor_types{{
    {weights::DataType::boolean, torch::kBool},
    {weights::DataType::u8, torch::kByte},
    {weights::DataType::i8, torch::kChar},
    {weights::DataType::i16, torch::kShort},
    {weights::DataType::i32, torch::kInt},
    {weights::DataType::i64, torch::kLong},
    {weights::DataType::f16, torch::kHalf},
    {weights::DataType::bf16, torch::kBFloat16},
    {weights::DataType::f32, torch::kFloat},
    {weights::DataType::f64, torch::kDouble},
}};

torch::ScalarType tensor_type(weights::DataType type) {
  const auto* row = std::find_if(tensor_types.begin(), tensor_types.end(),
                                 [&](const auto& pair) { return pair.first == type; });
  return row->second;
}

weights::DataType data_type(torch::ScalarType type) {
  const auto* row = std::find_if(tensor_types.begin(), tensor_types.end(),
                                 [&](const auto& pair) { return pair.second == type; });
  TORCH_CHECK(row != tensor_types.end(), "a tensor of type ", type,
              " cannot be written as safetensors");
  return row->first;
}

/// The bytes of `view` themselves, or a copy of them where they are not aligned for their type.
Tensor tensor_of(const weights::TensorView& view) {
  const auto type = tensor_type(view.type);
  if (view.bytes.empty()) {
    return torch::empty(view.shape, type);
  }
  auto* bytes = const_cast<std::byte*>(view.bytes.data());  // NOLINT: from_blob takes no const
  if (reinterpret_cast<std::uintptr_t>(bytes) % c10::elementSize(type) == 0) {
    return torch::from_blob(bytes, view.shape, type);
  }
  return torch::from_blob(bytes, {std::int64_t(view.bytes.size())}, torch::kByte)
      .clone()
      .view(type)
      .view(view.shape);
}

/// Copies block by block, and lets go of the file's pages after each: else all of a large tensor
/// would be in memory twice.
void copy_by_blocks(const Tensor& to, const weights::TensorView& view,
                    const weights::WeightsFile& file) {
  constexpr std::size_t block_bytes = 4 << 20;
  const auto from = tensor_of(view);
  if (to.dim() == 0 || to.numel() == 0) {
    Tensor(to).copy_(from);
    return;
  }
  const auto rows = to.size(0);
  const auto row_bytes = view.bytes.size() / std::size_t(rows);
  const auto block = std::int64_t(std::max<std::size_t>(1, block_bytes / row_bytes));
  for (std::int64_t row = 0; row < rows; row += block) {
    const auto count = std::min(block, rows - row);
    to.narrow(0, row, count).copy_(from.narrow(0, row, count));
    file.forget(view.bytes.subspan(std::size_t(row) * row_bytes, std::size_t(count) * row_bytes));
  }
}

void copy_into(const Tensor& tensor, const weights::TensorView& view,
               const weights::WeightsFile& file, const std::string& path) {
  if (tensor.sizes() != view.shape) {
    throw Error(fmt::format("{}: {}: found the shape {}, expected {}", path, view.name,
                            fmt::join(view.shape, " x "), fmt::join(tensor.sizes(), " x ")));
  }
  const auto type = tensor_type(view.type);
  if (type != tensor.scalar_type() && !(isFloatingType(type) && tensor.is_floating_point())) {
    throw Error(fmt::format("{}: {}: found the type {}, expected {}", path, view.name,
                            weights::name_of(view.type),
                            weights::name_of(data_type(tensor.scalar_type()))));
  }
  copy_by_blocks(tensor, view, file);
}

struct TensorInFile {
  weights::TensorView view;
  const weights::WeightsFile* file;
};

/// The tensors of all `files` by name. The views are valid as long as the files.
std::map<std::string, TensorInFile> tensors_by_name(const std::vector<weights::WeightsFile>& files,
                                                    const std::string& path) {
  std::map<std::string, TensorInFile> by_name;
  for (const auto& file : files) {
    for (const auto& tensor : file.tensors()) {
      if (!by_name.emplace(tensor.name, TensorInFile{tensor, &file}).second) {
        throw Error(fmt::format("{}: found the tensor {} in two files", path, tensor.name));
      }
    }
  }
  return by_name;
}

template <class Value>
std::vector<std::string> names_in(const Value& named) {
  std::vector<std::string> names;
  for (const auto& [name, value] : named) {
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> load_weights(const std::string& path, const NamedTensors& into,
                                      const HubLayout& layout, OtherHead other_head) {
  const auto found = weights::find_weight_files(path);
  if (!found.config.empty()) {
    weights::check_hub_config(found.config, layout.config);
  }
  std::vector<weights::WeightsFile> files;
  for (const auto& file : found.tensors) {
    files.emplace_back(file);
  }
  const auto tensors = tensors_by_name(files, path);
  const auto matches = weights::match_names(names_in(tensors), names_in(into), layout.body, path);
  const std::map<std::string, Tensor> ours(into.begin(), into.end());
  auto remarks = weights::remarks_of(matches, path);
  const torch::NoGradGuard no_grad;
  for (const auto& [in_file, in_model] : matches.pairs) {
    const auto& tensor = ours.at(in_model);
    const auto& [view, file] = tensors.at(in_file);
    if (other_head == OtherHead::drawn && weights::is_of_head(in_model, layout.body) &&
        tensor.sizes() != view.shape) {
      remarks.push_back(fmt::format("{}: {} has the shape {} there, {} here: drawn at random", path,
                                    in_file, fmt::join(view.shape, " x "),
                                    fmt::join(tensor.sizes(), " x ")));
    } else {
      copy_into(tensor, view, *file, path);
    }
  }
  return remarks;
}

void save_weights(const std::string& path, const NamedTensors& tensors) {
  weights::TensorFile content{.metadata = {{"format", "pt"}}};  // required by transformers
  NamedTensors kept;
  for (const auto& [name, tensor] : tensors) {
    kept.emplace_back(name, tensor.detach().cpu().contiguous());
    const auto& rows = kept.back().second;
    content.tensors.push_back(
        {.name = name,
         .type = data_type(rows.scalar_type()),
         .shape = rows.sizes().vec(),
         .bytes = {static_cast<const std::byte*>(rows.const_data_ptr()), rows.nbytes()}});
  }
  weights::write_safetensors(path, std::move(content));
}

}  // namespace epochcast::libtorch
