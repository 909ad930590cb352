#include "src/record/h5_calls.hpp"

namespace epochcast::record::h5 {
namespace {

/// Takes the innermost entry of the HDF5 error stack, which names the cause.
herr_t take_first(unsigned, const H5E_error2_t* entry, void* text) {
  *static_cast<std::string*>(text) = entry->desc == nullptr ? "" : entry->desc;
  return 1;  // stop here
}

/// Shortens a message of HDF5. HDF5 surrounds the message of the system with many addresses and a
/// time stamp that contains a line break. Only two parts of "file write failed: time = ..., error
/// message = 'No space left on device', buf = ..." are useful.
std::string shorten(const std::string& text) {
  constexpr std::string_view mark = "error message = '";
  const auto start = text.find(mark);
  if (start == std::string::npos) {
    return text;
  }
  const auto message = text.substr(start + mark.size());
  return text.substr(0, text.find_first_of(":,")) + ": " + message.substr(0, message.find('\''));
}

H5T_class_t class_of(Kind kind) {
  return kind == Kind::integer ? H5T_INTEGER : kind == Kind::number ? H5T_FLOAT : H5T_STRING;
}

}  // namespace

std::string last_words() {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &cause);
  return shorten(cause);
}

Handle type_of(const Column& column) {
  if (column.kind != Kind::text) {
    return own(H5Tcopy(column.kind == Kind::integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE),
               H5Tclose, "copy a type");
  }
  auto type = own(H5Tcopy(H5T_C_S1), H5Tclose, "copy a type");
  check(H5Tset_size(type.id(), column.size_bytes), "size a text type");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "pad a text type");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "set the character set of a text type");
  return type;
}

Handle type_to_read(const Column& column, hid_t stored) {
  if (H5Tget_class(stored) != class_of(column.kind) || H5Tis_variable_str(stored) > 0) {
    throw Failure(fmt::format("'{}' is not of the expected type", column.name));
  }
  auto type = type_of(column);
  if (column.kind == Kind::text) {  // HDF5 does not convert between character sets
    check(H5Tset_cset(type.id(), H5Tget_cset(stored)), "set the character set of a text type");
  }
  return type;
}

}  // namespace epochcast::record::h5
