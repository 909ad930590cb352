#include "src/training/weights/torch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/training/weights/pickle.hpp"
#include "src/training/weights/stored_zip.hpp"

namespace epochcast::weights {
namespace {

using Bytes = std::span<const std::byte>;
using Entries = std::map<std::string, Bytes>;
using Kind = PickleValue::Kind;

constexpr std::size_t largest_pickle = 64'000'000;

constexpr std::array<std::pair<std::string_view, DataType>, 10> storages{
    {{"torch BoolStorage", DataType::boolean},
     {"torch ByteStorage", DataType::u8},
     {"torch CharStorage", DataType::i8},
     {"torch ShortStorage", DataType::i16},
     {"torch IntStorage", DataType::i32},
     {"torch LongStorage", DataType::i64},
     {"torch HalfStorage", DataType::f16},
     {"torch BFloat16Storage", DataType::bf16},
     {"torch FloatStorage", DataType::f32},
     {"torch DoubleStorage", DataType::f64}}};

/// The folder in the zip file that holds everything, with its slash.
std::string folder_of(const Entries& entries, const std::string& where) {
  constexpr std::string_view pickle = "data.pkl";
  for (const auto& [name, bytes] : entries) {
    if (name.ends_with(pickle) && name.find('/') == name.size() - pickle.size() - 1) {
      return name.substr(0, name.size() - pickle.size());
    }
  }
  throw Error(fmt::format("{}: has no data.pkl, expected a file of torch.save", where));
}

/// Turns the values of the pickle into views of the entries.
class Tensors {
 public:
  Tensors(const Pickle& pickle, const Entries& entries, std::string folder,
          const std::string& where)
      : pickle_(pickle), entries_(entries), folder_(std::move(folder)), where_(where) {}

  std::vector<TensorView> of(const PickleValue& dictionary) const {
    std::map<std::string, TensorView> by_name;  // of equal keys the last counts, as in Python
    for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
      const auto& key = pickle_.at(dictionary.items[i]);
      const auto& value = pickle_.at(dictionary.items[i + 1]);
      if (key.kind == Kind::text && value.kind == Kind::tensor) {
        by_name.insert_or_assign(key.text, view(key.text, value));
      }
    }
    std::vector<TensorView> tensors;
    for (auto& [name, tensor] : by_name) {
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
    throw Error(fmt::format("{}: tensor {}: {}", where_, shown_name(tensor), what));
  }

  const PickleValue& item(const PickleValue& of, std::size_t place, Kind kind,
                          const std::string& tensor) const {
    if (place >= of.items.size() || pickle_.at(of.items[place]).kind != kind) {
      fail(tensor, "is not written as torch.save does");
    }
    return pickle_.at(of.items[place]);
  }

  std::vector<std::int64_t> numbers(const PickleValue& sequence, const std::string& tensor) const {
    constexpr std::size_t most_dimensions = 64;  // of LibTorch
    if (sequence.items.size() > most_dimensions) {
      fail(tensor, fmt::format("has {} dimensions", sequence.items.size()));
    }
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < sequence.items.size(); ++i) {
      values.push_back(item(sequence, i, Kind::integer, tensor).integer);
      if (values.back() < 0) {
        fail(tensor, fmt::format("found the size {}, expected one from 0", values.back()));
      }
    }
    return values;
  }

  /// ("storage", torch.FloatStorage, "0", "cpu", 12): its type and its bytes.
  std::pair<DataType, Bytes> storage(const PickleValue& id, const std::string& tensor) const {
    const auto& type_name = item(id, 1, Kind::name, tensor).text;
    const auto* type =
        std::ranges::find(storages, type_name, &decltype(storages)::value_type::first);
    if (type == storages.end()) {
      fail(tensor,
           fmt::format("has numbers of the type {}, which is not read", shown_name(type_name)));
    }
    const auto entry = entries_.find(folder_ + "data/" + item(id, 2, Kind::text, tensor).text);
    if (entry == entries_.end()) {
      fail(tensor, "its numbers are not in the file");
    }
    return {type->second, entry->second};
  }

  /// The number of values; checks that they lie row by row. Strides of sizes 0 and 1 mean nothing.
  std::int64_t count(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& strides, const std::string& tensor) const {
    std::int64_t count = 1;
    bool by_rows = shape.size() == strides.size();
    for (std::size_t i = shape.size(); by_rows && i-- > 0;) {
      by_rows = shape[i] <= 1 || strides[i] == count;
      if (__builtin_mul_overflow(count, shape[i], &count)) {
        fail(tensor, "found sizes whose product is no number of values");
      }
    }
    if (!by_rows && std::ranges::find(shape, 0) == shape.end()) {
      fail(tensor, "is not stored row by row; save it with .contiguous()");
    }
    return by_rows ? count : 0;
  }

  /// The arguments are storage, offset, shape, strides, requires_grad, hooks.
  TensorView view(const std::string& name, const PickleValue& tensor) const {
    const auto [type, bytes] = storage(item(tensor, 0, Kind::storage, name), name);
    const auto offset = item(tensor, 1, Kind::integer, name).integer;
    TensorView view{.name = name,
                    .type = type,
                    .shape = numbers(item(tensor, 2, Kind::sequence, name), name),
                    .bytes = {}};
    const auto values =
        count(view.shape, numbers(item(tensor, 3, Kind::sequence, name), name), name);
    const auto there = static_cast<std::int64_t>(bytes.size() / size_of(type));
    if (offset < 0 || offset > there || values > there - offset) {
      fail(name, fmt::format("needs {} numbers from place {}, its storage has {}", values, offset,
                             there));
    }
    view.bytes = bytes.subspan(static_cast<std::size_t>(offset) * size_of(type),
                               static_cast<std::size_t>(values) * size_of(type));
    return view;
  }

  const Pickle& pickle_;
  const Entries& entries_;
  std::string folder_;
  const std::string& where_;
};

/// The value of `key` in a dictionary; nullptr if it is not there.
const PickleValue* dictionary_value(const Pickle& pickle, const PickleValue& dictionary,
                                    std::string_view key) {
  for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
    if (pickle.at(dictionary.items[i]).text == key) {
      return &pickle.at(dictionary.items[i + 1]);
    }
  }
  return nullptr;
}

/// PyTorch before 1.6 wrote several pickles one after the other: protocol 2 and a long number.
bool is_old_format(Bytes bytes) {
  return bytes.size() > 3 && bytes[0] == std::byte{0x80} && bytes[1] == std::byte{2} &&
         bytes[2] == std::byte{0x8a};
}

TensorFile file_content(Bytes bytes, const std::string& path) {
  if (is_old_format(bytes)) {
    throw Error(path +
                ": is of the format of PyTorch before 1.6, which is not read; "
                "torch.save(torch.load(...), ...) of a newer one converts it");
  }
  return is_zip(bytes) ? parse_torch_file(bytes, path) : parse_safetensors(bytes, path);
}

}  // namespace

TensorFile parse_torch_file(Bytes bytes, const std::string& where) {
  const auto entries = stored_entries(bytes, where);
  const auto folder = folder_of(entries, where);
  if (const auto order = entries.find(folder + "byteorder");
      order != entries.end() && (order->second.size() != 6 || order->second[0] != std::byte{'l'})) {
    throw Error(where + ": its byteorder is not little");
  }
  const auto pickled = entries.at(folder + "data.pkl");
  if (pickled.size() > largest_pickle) {
    throw Error(fmt::format("{}: data.pkl has {} bytes, expected at most {}", where, pickled.size(),
                            largest_pickle));
  }
  const auto pickle = parse_pickle(pickled, where + ": data.pkl");
  const Tensors tensors(pickle, entries, folder, where);
  const auto& top = pickle.at(pickle.top);
  std::vector<const PickleValue*> dictionaries{&top};
  for (const auto* key : {"state_dict", "model_state_dict", "model"}) {
    dictionaries.push_back(top.kind == Kind::dictionary ? dictionary_value(pickle, top, key)
                                                        : nullptr);
  }
  for (const auto* dictionary : dictionaries) {
    if (dictionary != nullptr && dictionary->kind == Kind::dictionary) {
      if (auto found = tensors.of(*dictionary); !found.empty()) {
        return {.tensors = std::move(found), .metadata = {}};
      }
    }
  }
  throw Error(where + ": has no tensors by name, expected a saved state_dict");
}

WeightsFile::WeightsFile(const std::string& path)
    : file_(path), content_(file_content(file_.bytes(), path)) {}

}  // namespace epochcast::weights
