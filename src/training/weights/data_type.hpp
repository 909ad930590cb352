// The number types in weight files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace epochcast::weights
