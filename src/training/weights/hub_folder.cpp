#include "src/training/weights/hub_folder.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/core/text.hpp"
#include "src/training/weights/bytes.hpp"
#include "src/training/weights/mapped_file.hpp"

namespace epochcast::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int config_depth = 16;
/// One file, or an index of several; in this order.
constexpr std::array<std::pair<const char*, const char*>, 2> layouts{
    {{"model.safetensors", "model.safetensors.index.json"},
     {"pytorch_model.bin", "pytorch_model.bin.index.json"}}};

json read_json(const std::string& path) {
  const MappedFile file(path);
  auto content = parse_strict_json(as_text(file.bytes()), path, config_depth);
  if (!content.is_object()) {
    throw Error(path + ": expected an object in JSON");
  }
  return content;
}

/// {"weight_map": {"tensor": "file", ...}}
std::vector<std::string> files_of_index(const fs::path& index) {
  const auto map = read_json(index).value("weight_map", json());
  std::set<std::string> files;
  for (const auto& [tensor, file] : map.items()) {
    const auto name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || fs::path(name).filename() != name) {
      throw Error(fmt::format("{}: tensor {}: found {}, expected a file beside the index",
                              index.string(), shown_name(tensor), shown_name(name)));
    }
    files.insert((index.parent_path() / name).string());
  }
  if (files.empty()) {
    throw Error(index.string() + ": expected a weight_map of files by tensor");
  }
  return {files.begin(), files.end()};
}

bool same_value(const json& found, const std::string& expected) {
  if (found.is_boolean()) {
    return to_text(found.get<bool>()) == expected;
  }
  const auto number = parse_double(expected);
  return found.is_number() && number ? found.get<double>() == *number : found == expected;
}

}  // namespace

WeightFiles find_weight_files(const std::string& path) {
  const fs::path folder = path;
  if (std::error_code unreachable; !fs::exists(folder, unreachable)) {
    throw Error(
        path +
        ": no weights there: expected a file of safetensors or torch.save, or a folder of them");
  }
  if (!fs::is_directory(folder)) {
    return {.tensors = {path}};
  }
  const auto config = folder / "config.json";
  WeightFiles files{.config = fs::exists(config) ? config.string() : ""};
  for (const auto& [one_file, index_file] : layouts) {
    if (fs::exists(folder / one_file)) {
      files.tensors = {(folder / one_file).string()};
      return files;
    }
    if (fs::exists(folder / index_file)) {
      files.tensors = files_of_index(folder / index_file);
      return files;
    }
  }
  throw Error(fmt::format("{}: has neither model.safetensors nor pytorch_model.bin", path));
}

std::vector<std::string> hub_labels(const std::string& path) {
  const auto config = read_json(path);
  const auto named = config.find("id2label");
  if (named == config.end() || named->is_null()) {
    return {};
  }
  std::vector<std::string> labels;
  for (std::size_t i = 0; named->is_object() && i < named->size(); ++i) {
    const auto label = named->find(std::to_string(i));
    if (label == named->end() || !label->is_string()) {
      throw Error(fmt::format("{}: id2label: expected a text for class {}", path, i));
    }
    labels.push_back(label->get<std::string>());
  }
  if (labels.empty()) {
    throw Error(path + ": id2label: expected an object of the names of classes by their number");
  }
  return labels;
}

void check_hub_config(const std::string& path, const HubConfig& expected) {
  const auto config = read_json(path);
  for (const auto& [key, value] : expected) {
    const auto found = config.find(key);
    if (found != config.end() && !same_value(*found, value)) {
      throw Error(fmt::format(
          "{}: {}: found {}, expected {} as the model has it", path, key,
          shown_name(found->is_string() ? found->get<std::string>() : found->dump()), value));
    }
  }
}

}  // namespace epochcast::weights
