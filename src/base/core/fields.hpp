// A struct and its field table: the only place where a field gets a name, a unit and a meaning. All
// code that reads, writes or documents the struct iterates over the table.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace epochcast {

template <class Struct, class Value>
struct Field {
  std::string_view name;
  std::string_view unit;  ///< "1" for a count or a label.
  std::string_view meaning;
  Value Struct::*member;
  /// Allowed values: words as "cpu|cuda", numbers as ">=1"; empty: every value of the type.
  std::string_view allowed = {};
  /// The name in older records; empty: the same.
  std::string_view old_name = {};
  /// Renamed values, as "old=new|old=new"; readers also accept the old ones.
  std::string_view old_values = {};
};

template <class Struct, class Value>
Field(std::string_view, std::string_view, std::string_view, Value Struct::*)
    -> Field<Struct, Value>;  // clang 14, and therefore clang-tidy 14, cannot deduce this
template <class Struct, class Value>
Field(std::string_view, std::string_view, std::string_view, Value Struct::*, std::string_view)
    -> Field<Struct, Value>;
template <class Struct, class Value>
Field(std::string_view, std::string_view, std::string_view, Value Struct::*, std::string_view,
      std::string_view) -> Field<Struct, Value>;

/// The current spelling of the value `text`, which may be an old one ("old=new|old=new").
constexpr std::string_view current_value(std::string_view old_values, std::string_view text) {
  while (!old_values.empty()) {
    const auto pair = old_values.substr(0, old_values.find('|'));
    if (const auto equals = pair.find('='); pair.substr(0, equals) == text) {
      return pair.substr(equals + 1);
    }
    old_values.remove_prefix(pair.size() < old_values.size() ? pair.size() + 1 : pair.size());
  }
  return text;
}

/// Passes the type of a struct to `fields_of`, which argument-dependent lookup finds in the
/// namespace of the struct.
template <class Struct>
struct Tag {};

template <std::size_t, class AnyField>
struct FieldSlot {
  AnyField field;
};

template <class Numbers, class... Fields>
struct FieldSlots;
template <std::size_t... Number, class... Fields>
struct FieldSlots<std::index_sequence<Number...>, Fields...> : FieldSlot<Number, Fields>... {
  template <class Visitor>
  constexpr void visit(Visitor&& visitor) const {
    (visitor(FieldSlot<Number, Fields>::field), ...);
  }
};

/// Some fields. Not a std::tuple: in each source that includes the record, the compiler would take
/// 2 s to choose the constructors.
template <class... Fields>
struct FieldTable : FieldSlots<std::index_sequence_for<Fields...>, Fields...> {
  constexpr explicit FieldTable(Fields... fields)
      : FieldSlots<std::index_sequence_for<Fields...>, Fields...>{{fields}...} {}
  static constexpr std::size_t size() { return sizeof...(Fields); }
};

/// The table of `Struct`: a FieldTable, returned by `constexpr auto fields_of(Tag<Struct>)` next
/// to the struct.
template <class Struct>
inline constexpr auto fields = fields_of(Tag<Struct>{});

/// Calls `visit(field)` for every field of `Struct`, in the order of its table.
template <class Struct, class Visitor>
constexpr void for_each_field(Visitor&& visit) {
  fields<Struct>.visit(visit);
}

/// The type of the member that a pointer to a member refers to.
template <class>
struct MemberValue;
template <class Struct, class Value>
struct MemberValue<Value Struct::*> {
  using type = Value;
};

/// The type of a field's value, for use inside a visitor: `value_of<decltype(field)>`.
template <class AnyField>
using value_of = typename MemberValue<decltype(std::remove_cvref_t<AnyField>::member)>::type;

}  // namespace epochcast
