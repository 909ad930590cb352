#include "src/training/weights/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/training/weights/bytes.hpp"

namespace epochcast::weights {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t most_values = 1'000'000;  // a tensor has about 25: 40,000 tensors

constexpr std::string_view ordered_dictionary = "collections OrderedDict";
constexpr std::string_view rebuild_tensor = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view rebuild_parameter = "torch._utils _rebuild_parameter";
constexpr std::string_view torch_size = "torch Size";

/// Names that may occur. Those of storages are types of numbers (torch_file.cpp).
bool is_known(std::string_view name) {
  constexpr std::array known{ordered_dictionary, rebuild_tensor, rebuild_parameter, torch_size};
  return std::ranges::find(known, name) != known.end() ||
         (name.starts_with("torch ") && name.ends_with("Storage"));
}

/// Runs the stack machine of the language, as far as it builds weights.
class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const std::string& where)
      : bytes_(bytes), where_(where) {}

  Pickle run() {
    while (step(static_cast<unsigned char>(byte()))) {
    }
    pickle_.top = pop();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: byte {}: {}", where_, at_, what));
  }

  std::byte byte() { return take(1)[0]; }

  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size() - at_) {
      fail(fmt::format("found the end of the pickle, expected {} more bytes", size));
    }
    const auto part = bytes_.subspan(at_, size);
    at_ += size;
    return part;
  }

  std::uint64_t number(std::size_t size) { return little_endian(take(size)); }

  std::string text(std::size_t size) { return std::string(as_text(take(size))); }

  std::string line() {
    std::string text;
    for (auto next = byte(); next != std::byte{'\n'}; next = byte()) {
      text += std::to_integer<char>(next);
    }
    return text;
  }

  void push(PickleValue value) {
    if (pickle_.values.size() >= most_values) {
      fail(fmt::format("found more than {} values", most_values));
    }
    pickle_.values.push_back(std::move(value));
    stack_.push_back(pickle_.values.size() - 1);
  }

  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  std::size_t top() const {
    if (stack_.size() <= floor()) {
      fail("found nothing on the stack");
    }
    return stack_.back();
  }

  std::size_t pop() {
    const auto index = top();
    stack_.pop_back();
    return index;
  }

  std::vector<std::size_t> pop_some(std::size_t count) {
    if (stack_.size() - floor() < count) {
      fail("found too little on the stack");
    }
    const std::vector<std::size_t> items(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                         stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }

  std::vector<std::size_t> pop_mark() {
    if (marks_.empty()) {
      fail("found no mark on the stack");
    }
    auto items = pop_some(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  PickleValue& value(std::size_t index, Kind kind, const char* what) {
    auto& found = pickle_.values[index];
    if (found.kind != kind) {
      fail(fmt::format("expected {}", what));
    }
    return found;
  }

  /// A copy. What would be copied often must be short: a file could repeat it millions of times.
  std::vector<std::size_t> few_items(const PickleValue& sequence) const {
    constexpr std::size_t most = 16;
    if (sequence.items.size() > most) {
      fail(fmt::format("found {} parts, expected at most {}", sequence.items.size(), most));
    }
    return sequence.items;
  }

  void push_integer(std::int64_t integer) { push({.kind = Kind::integer, .integer = integer}); }

  /// LONG1: two's complement of up to 8 bytes.
  void push_long(std::size_t size) {
    if (size > 8) {
      fail(fmt::format("found a whole number of {} bytes, expected at most 8", size));
    }
    auto bits = number(size);
    if (size > 0 && size < 8 && (bits >> (8 * size - 1) & 1U) != 0) {
      bits |= ~std::uint64_t{0} << (8 * size);
    }
    push_integer(static_cast<std::int64_t>(bits));
  }

  void push_name(const std::string& module, const std::string& name) {
    const auto full = module + " " + name;
    if (!is_known(full)) {
      fail(
          fmt::format("names {}.{}, expected only tensors and dictionaries: nothing is run; save "
                      "the state_dict alone",
                      shown_name(module), shown_name(name)));
    }
    push({.kind = Kind::name, .text = full});
  }

  /// To the list or dictionary on the stack.
  void append(const std::vector<std::size_t>& items, Kind kind) {
    auto& target =
        value(top(), kind, kind == Kind::sequence ? "a list to append to" : "a dictionary to fill");
    if (kind == Kind::dictionary && items.size() % 2 != 0) {
      fail("found a key without a value");
    }
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  void memoize(std::uint64_t key) { memo_[key] = top(); }

  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) {
      fail(fmt::format("found the memo {}, which was not stored", key));
    }
    stack_.push_back(found->second);
  }

  /// What Python would call; here a few names have a meaning of their own.
  void reduce() {
    const auto arguments = few_items(value(pop(), Kind::sequence, "a tuple of arguments"));
    const auto name = value(pop(), Kind::name, "a name to call").text;
    if (name == rebuild_tensor) {
      push({.kind = Kind::tensor, .items = arguments});
    } else if (name == ordered_dictionary && arguments.empty()) {
      push({.kind = Kind::dictionary});
    } else if ((name == rebuild_parameter || name == torch_size) && !arguments.empty()) {
      stack_.push_back(arguments.front());
    } else {
      fail(fmt::format("calls {} with {} arguments, expected a tensor or an empty dictionary",
                       shown_name(name), arguments.size()));
    }
  }

  /// Attributes of a dictionary (_metadata of a state_dict) are not needed here.
  void build() {
    pop();
    value(top(), Kind::dictionary, "a dictionary whose attributes are set");
  }

  /// One instruction; false at the end. Letters are the opcodes of pickletools.py.
  bool step(unsigned char opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        if (const auto protocol = number(1); protocol < 2 || protocol > 5) {
          fail(fmt::format("found protocol {}, expected 2 to 5", protocol));
        }
        return true;
      case 0x95:  // FRAME
        number(8);
        return true;
      case '.':
        return false;
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case '0':
        pop();
        return true;
      case '1':
        pop_mark();
        return true;
      case 'b':
        build();
        return true;
      case 'R':
        reduce();
        return true;
      case 'Q':
        push({.kind = Kind::storage,
              .items = few_items(value(pop(), Kind::sequence, "the parts of a storage"))});
        return true;
      default:
        if (!memo_step(opcode) && !scalar_step(opcode) && !group_step(opcode)) {
          fail(fmt::format("found the instruction 0x{:02x}, which weights do not need", opcode));
        }
        return true;
    }
  }

  bool memo_step(unsigned char opcode) {
    switch (opcode) {
      case 'q':
        memoize(number(1));
        return true;
      case 'r':
        memoize(number(4));
        return true;
      case 0x94:
        memoize(memo_.size());
        return true;
      case 'h':
        recall(number(1));
        return true;
      case 'j':
        recall(number(4));
        return true;
      default:
        return false;
    }
  }

  bool scalar_step(unsigned char opcode) {
    switch (opcode) {
      case 'N':
        push({});
        return true;
      case 0x88:
      case 0x89:
        push({.kind = Kind::boolean, .integer = opcode == 0x88 ? 1 : 0});
        return true;
      case 'K':
        push_integer(static_cast<std::int64_t>(number(1)));
        return true;
      case 'M':
        push_integer(static_cast<std::int64_t>(number(2)));
        return true;
      case 'J':
        push_integer(static_cast<std::int32_t>(number(4)));
        return true;
      case 0x8a:
        push_long(number(1));
        return true;
      case 'G':
        number(8);
        push({.kind = Kind::number});
        return true;
      case 'X':
      case 'T':
        push({.kind = Kind::text, .text = text(number(4))});
        return true;
      case 0x8c:
      case 'U':
        push({.kind = Kind::text, .text = text(number(1))});
        return true;
      case 'c': {
        const auto module = line();
        push_name(module, line());
        return true;
      }
      case 0x93: {
        const auto name = value(pop(), Kind::text, "a name").text;
        push_name(value(pop(), Kind::text, "a module").text, name);
        return true;
      }
      default:
        return false;
    }
  }

  bool group_step(unsigned char opcode) {
    switch (opcode) {
      case ')':
      case ']':
        push({.kind = Kind::sequence});
        return true;
      case '}':
        push({.kind = Kind::dictionary});
        return true;
      case 't':
        push({.kind = Kind::sequence, .items = pop_mark()});
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push({.kind = Kind::sequence, .items = pop_some(opcode - 0x84U)});
        return true;
      case 'a':
        append(pop_some(1), Kind::sequence);
        return true;
      case 'e':
        append(pop_mark(), Kind::sequence);
        return true;
      case 's':
        append(pop_some(2), Kind::dictionary);
        return true;
      case 'u':
        append(pop_mark(), Kind::dictionary);
        return true;
      default:
        return false;
    }
  }

  std::span<const std::byte> bytes_;
  const std::string& where_;
  std::size_t at_ = 0;
  Pickle pickle_;
  std::vector<std::size_t> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, std::size_t> memo_;
};

}  // namespace

Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& where) {
  return Machine(bytes, where).run();
}

}  // namespace epochcast::weights
