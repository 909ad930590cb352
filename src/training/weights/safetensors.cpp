#include "src/training/weights/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/core/text.hpp"
#include "src/training/weights/bytes.hpp"

namespace epochcast::weights {
namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t largest_header =
    100'000'000;                 ///< MAX_HEADER_SIZE of the format's own reader.
constexpr int header_depth = 3;  ///< Names, entries, shapes.
constexpr const char* metadata_name = "__metadata__";

std::string_view header_json(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() < length_bytes) {
    throw Error(fmt::format("{}: found {} bytes, expected safetensors", where, bytes.size()));
  }
  const auto length = little_endian(bytes.first(length_bytes));
  const auto most = std::min<std::uint64_t>(bytes.size() - length_bytes, largest_header);
  if (length > most) {
    throw Error(
        fmt::format("{}: found a header of {} bytes, expected safetensors with one of at most {}",
                    where, length, most));
  }
  return as_text(bytes.subspan(length_bytes, length));
}

/// The entry of one tensor in the header.
class Entry {
 public:
  Entry(const std::string& name, const json& object, const std::string& where)
      : name_(name), object_(object), where_(where) {
    if (!object.is_object()) {
      fail("", "an object with dtype, shape and data_offsets");
    }
  }

  /// The begin and end of its numbers, in bytes after the header.
  std::pair<std::size_t, std::size_t> offsets(std::size_t data_bytes) const {
    const auto pair = numbers("data_offsets");
    if (pair.size() != 2 || pair[0] > pair[1] || pair[1] > data_bytes) {
      fail("data_offsets",
           fmt::format("a begin and an end among the {} bytes there are", data_bytes));
    }
    return {pair[0], pair[1]};
  }

  TensorView tensor(std::span<const std::byte> bytes) const {
    TensorView view{.name = name_, .type = type(), .bytes = bytes};
    std::int64_t size = static_cast<std::int64_t>(size_of(view.type));
    for (const auto length : numbers("shape")) {
      view.shape.push_back(static_cast<std::int64_t>(length));
      if (length > std::size_t(std::numeric_limits<std::int64_t>::max()) ||
          __builtin_mul_overflow(size, view.shape.back(), &size)) {
        fail("shape", "sizes whose product is a number of bytes");
      }
    }
    if (static_cast<std::size_t>(size) != bytes.size()) {
      fail("data_offsets", fmt::format("the {} bytes of its shape and type", size));
    }
    return view;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    const auto found = key.empty() ? object_ : object_.value(key, json());
    throw Error(fmt::format("{}: tensor {}: {}{}found {}, expected {}", where_, shown_name(name_),
                            key, key.empty() ? "" : ": ",
                            shown_name(found.is_string() ? found.get<std::string>() : found.dump()),
                            expected));
  }

  DataType type() const {
    const auto found = object_.find("dtype");
    const auto type = found != object_.end() && found->is_string()
                          ? data_type_called(found->get_ref<const std::string&>())
                          : std::nullopt;
    if (!type) {
      fail("dtype", "one of " + data_type_names());
    }
    return *type;
  }

  std::vector<std::size_t> numbers(const std::string& key) const {
    const auto found = object_.find(key);
    const auto is_number = [](const json& value) { return value.is_number_unsigned(); };
    if (found == object_.end() || !found->is_array() ||
        !std::all_of(found->begin(), found->end(), is_number)) {
      fail(key, "a list of numbers from 0");
    }
    return found->get<std::vector<std::size_t>>();
  }

  const std::string& name_;
  const json& object_;
  const std::string& where_;
};

std::map<std::string, std::string> metadata_of(const json& object, const std::string& where) {
  const auto is_text = [](const json& value) { return value.is_string(); };
  if (!object.is_object() || !std::all_of(object.begin(), object.end(), is_text)) {
    throw Error(fmt::format("{}: {}: expected texts by name", where, metadata_name));
  }
  return object.get<std::map<std::string, std::string>>();
}

/// Checks that `tensors`, in the order of their bytes, cover `data` without overlaps or gaps.
void check_cover(const std::vector<TensorView>& tensors, std::span<const std::byte> data,
                 const std::string& where) {
  const auto* next = data.data();
  for (const auto& tensor : tensors) {
    if (tensor.bytes.data() != next) {
      throw Error(fmt::format(
          "{}: tensor {}: begins at byte {} after the header, expected {}: no overlap and no gap",
          where, shown_name(tensor.name), tensor.bytes.data() - data.data(), next - data.data()));
    }
    next += tensor.bytes.size();
  }
  if (next != data.data() + data.size()) {
    throw Error(fmt::format("{}: found {} bytes after the header, expected {} for its tensors",
                            where, data.size(), next - data.data()));
  }
}

struct TypeRow {
  std::string_view name;
  std::size_t bytes;
};

/// In the order of DataType.
constexpr std::array<TypeRow, 10> type_rows{{{"BOOL", 1},
                                             {"U8", 1},
                                             {"I8", 1},
                                             {"I16", 2},
                                             {"I32", 4},
                                             {"I64", 8},
                                             {"F16", 2},
                                             {"BF16", 2},
                                             {"F32", 4},
                                             {"F64", 8}}};

const TypeRow& type_row(DataType type) {
  return type_rows.at(static_cast<std::size_t>(type));
}

}  // namespace

TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& where) {
  const auto text = header_json(bytes, where);
  const auto header = parse_strict_json(text, where + ": header", header_depth);
  if (!header.is_object()) {
    throw Error(fmt::format("{}: header: expected tensors by name", where));
  }
  const auto data = bytes.subspan(length_bytes + text.size());
  TensorFile file;
  for (const auto& [name, object] : header.items()) {
    if (name == metadata_name) {
      file.metadata = metadata_of(object, where);
      continue;
    }
    const Entry entry(name, object, where);
    const auto [begin, end] = entry.offsets(data.size());
    file.tensors.push_back(entry.tensor(data.subspan(begin, end - begin)));
  }
  // An empty tensor comes before the tensor that begins at the same place.
  std::stable_sort(file.tensors.begin(), file.tensors.end(),
                   [](const TensorView& a, const TensorView& b) {
                     return std::pair(a.bytes.data(), a.bytes.size()) <
                            std::pair(b.bytes.data(), b.bytes.size());
                   });
  check_cover(file.tensors, data, where);
  return file;
}

std::string_view name_of(DataType type) {
  return type_row(type).name;
}

std::size_t size_of(DataType type) {
  return type_row(type).bytes;
}

std::optional<DataType> data_type_called(std::string_view name) {
  for (std::size_t i = 0; i < type_rows.size(); ++i) {
    if (type_rows[i].name == name) {
      return static_cast<DataType>(i);
    }
  }
  return std::nullopt;
}

std::string data_type_names() {
  std::vector<std::string> names;
  for (const auto& row : type_rows) {
    names.emplace_back(row.name);
  }
  return join(names, ", ");
}

}  // namespace epochcast::weights
