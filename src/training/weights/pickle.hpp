// Pickles of tensors: the part of Python's pickle language that torch.save writes for a dictionary
// of weights. Nothing is called or imported: a name is looked up in a short list, and any other is
// refused. Language: Python's Lib/pickletools.py; names: torch/_utils.py, torch/serialization.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace epochcast::weights {

/// One value of a pickle. `items` are indices of other values of the Pickle.
struct PickleValue {
  enum class Kind {
    none,
    boolean,
    integer,
    number,
    text,
    sequence,    ///< A tuple or a list.
    dictionary,  ///< `items`: key, value, key, value, ...
    name,        ///< `text`: "torch FloatStorage".
    storage,     ///< `items`: the parts of its persistent id.
    tensor       ///< `items`: the arguments of torch._utils._rebuild_tensor_v2.
  };
  Kind kind = Kind::none;
  std::string text = {};
  std::int64_t integer = 0;  ///< Of a boolean and an integer.
  std::vector<std::size_t> items = {};
};

struct Pickle {
  std::vector<PickleValue> values;
  std::size_t top = 0;  ///< The index of the pickled object.

  const PickleValue& at(std::size_t index) const { return values.at(index); }
};

/// Parses `bytes`. Throws Error "WHERE: ..." if they are not such a pickle, are damaged, name
/// anything but tensors and their parts, or hold more values than weights can have.
Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& where);

}  // namespace epochcast::weights
