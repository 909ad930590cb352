// The types of numbers in files of weights.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::weights {

/// Those of the safetensors format that LibTorch has too; little-endian.
enum class DataType { boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64 };

/// As the format spells it: "BF16".
std::string_view name_of(DataType type);

/// Bytes of one number.
std::size_t size_of(DataType type);

/// The type called `name`; nothing if there is none.
std::optional<DataType> data_type_called(std::string_view name);

/// All names, separated by commas.
std::string data_type_names();

}  // namespace epochcast::weights
