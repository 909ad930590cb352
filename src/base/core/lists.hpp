// Lists made from lists. What is asked of each element is a function or a member.
#pragma once

#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace epochcast {

/// What `make` gives of an element, as a value.
template <class From, class Make>
using MadeOf = std::decay_t<std::invoke_result_t<Make&, std::ranges::range_reference_t<From>>>;

/// What `make` gives of each element.
template <class From, class Make>
std::vector<MadeOf<const From, Make>> mapped(const From& from, Make make) {
  std::vector<MadeOf<const From, Make>> values;
  for (const auto& element : from) {
    values.push_back(std::invoke(make, element));
  }
  return values;
}

/// The same of those elements of which it gives a value: `make` returns a std::optional.
template <class From, class Make>
auto known_values(const From& from, Make make) {
  std::vector<typename MadeOf<const From, Make>::value_type> values;
  for (const auto& element : from) {
    if (auto value = std::invoke(make, element)) {
      values.push_back(*std::move(value));
    }
  }
  return values;
}

/// The keys of a map, in its order.
template <class Map>
std::vector<typename Map::key_type> keys_in(const Map& map) {
  const auto keys = std::views::keys(map);
  return {keys.begin(), keys.end()};
}

/// Copies of the elements that `holds` is true of.
template <class From, class Holds>
auto selected(const From& from, Holds holds) {
  std::vector<std::ranges::range_value_t<From>> values;
  for (const auto& element : from) {
    if (std::invoke(holds, element)) {
      values.push_back(element);
    }
  }
  return values;
}

/// Adds the elements of `more`, which are moved if it is a temporary.
template <class Value, class From>
void append(std::vector<Value>& values, From&& more) {
  for (auto&& element : more) {
    if constexpr (std::is_lvalue_reference_v<From>) {
      values.push_back(element);
    } else {
      values.push_back(std::move(element));
    }
  }
}

/// The sum of what `number` gives of each element.
template <class From, class Number>
double summed(const From& from, Number number) {
  double sum = 0;
  for (const auto& element : from) {
    sum += static_cast<double>(std::invoke(number, element));
  }
  return sum;
}

}  // namespace epochcast
