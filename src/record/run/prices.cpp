#include "src/record/run/prices.hpp"

#include <fmt/format.h>

#include "src/base/config/packed_fields.hpp"
#include "src/base/config/yaml_group.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {
namespace {

constexpr const char* prices_key = "prices";

/// The prices in a group of keys, if it has any.
void read_prices_in(const yaml::Node* group, Prices& prices) {
  const auto* node =
      group != nullptr && group->kind == yaml::Node::Kind::map ? group->find(prices_key) : nullptr;
  if (node != nullptr) {
    read_prices(*node, prices);
  }
}

}  // namespace

std::string pack(const Prices& prices) {
  return pack_fields(prices);
}

Prices unpack_prices(std::string_view text) {
  auto prices = unpack_fields<Prices>(text);
  check_prices(prices);
  return prices;
}

void read_prices(const yaml::Node& node, Prices& prices) {
  yaml::read_group(node, {.name = prices_key, .example = "{currency: EUR, cpu_hour: 0.01}"},
                   prices);
}

void check_prices(const Prices& prices) {
  if (prices.any() && trim(prices.currency).empty()) {
    throw Error("prices: currency is missing. Add 'currency: EUR', or the site's unit of account");
  }
}

std::map<std::string, Prices> prices_of_profile(const yaml::Node& profile) {
  const auto* allocations =
      profile.as_map("a cluster's profile: a group of keys").find("allocations");
  if (allocations == nullptr) {
    throw profile.error("found no allocations, expected a cluster's profile");
  }
  const auto* overrides = profile.find("overrides");
  std::map<std::string, Prices> found;
  for (const auto& [name, group] : allocations->as_map("allocations by name").map) {
    Prices prices;
    read_prices_in(profile.find("defaults"), prices);
    read_prices_in(&group, prices);
    read_prices_in(overrides, prices);
    read_prices_in(overrides == nullptr ? nullptr : overrides->find(name), prices);
    try {
      check_prices(prices);
    } catch (const Error& error) {
      throw group.error(fmt::format("{}: {}", name, error.what()));
    }
    found.emplace(name, prices);
  }
  return found;
}

std::optional<double> money_of(const Usage& usage, const Prices& prices) {
  double money = 0;
  for (const auto& [price, hours] : {std::pair{prices.cpu_hour, usage.cpu_hours},
                                     {prices.gpu_hour, usage.gpu_hours},
                                     {prices.node_hour, usage.node_hours}}) {
    if (price && !hours) {
      return std::nullopt;
    }
    money += price ? *price * *hours : 0;
  }
  return prices.any() ? std::optional(money) : std::nullopt;
}

std::string price_text(const Prices& prices) {
  std::vector<std::string> parts;
  for (const auto& [price, what] : {std::pair{prices.cpu_hour, "CPU-hour"},
                                    {prices.gpu_hour, "GPU-hour"},
                                    {prices.node_hour, "node-hour"}}) {
    if (price) {
      parts.push_back(fmt::format("{} {} a {}", format_shortest(*price), prices.currency, what));
    }
  }
  return join(parts, ", ");
}

}  // namespace epochcast::run
