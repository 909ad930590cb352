// Shared by h5*.cpp: checked calls of HDF5, and types. The only header that includes <hdf5.h>.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "src/record/h5.hpp"

namespace epochcast::record::h5 {

static_assert(std::is_same_v<Handle::Id, hid_t>);

/// The cause of the last HDF5 error, shortened.
std::string last_words();

/// Returns the result of a call. If the result is negative, throws Failure "cannot WHAT: MESSAGE"
/// with the message of last_words().
template <class Result>
Result check(Result result, std::string_view what) {
  if (result < 0) {
    throw Failure(fmt::format("cannot {}: {}", what, last_words()));
  }
  return result;
}

inline Handle own(hid_t id, Handle::Close close, std::string_view what) {
  return {check(id, what), close};
}

/// The HDF5 type of a column, in memory and in the file.
Handle type_of(const Column& column);

/// The memory type for reading `column` from a value of type `stored`. Throws Failure if `stored`
/// is of another kind.
Handle type_to_read(const Column& column, hid_t stored);

}  // namespace epochcast::record::h5
