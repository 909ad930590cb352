// What the h5*.cpp share: calls of HDF5 that are checked, and types. The only header that knows
// <hdf5.h>.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "src/record/h5.hpp"

namespace epochcast::record::h5 {

static_assert(std::is_same_v<Handle::Id, hid_t>);

/// What HDF5 said last, in a few words.
std::string last_words();

/// The result of a call, which is negative where it failed; then throws Failure "cannot WHAT: last
/// words".
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

/// The type of a column as it lies in memory, and as it is stored.
Handle type_of(const Column& column);

/// The type to read `column` with from a value of type `stored`. Throws Failure if that is of
/// another kind.
Handle type_to_read(const Column& column, hid_t stored);

}  // namespace epochcast::record::h5
