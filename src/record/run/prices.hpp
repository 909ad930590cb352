// What a site charges for an allocation: in money, or in units of account. Given in the cluster
// profile as `prices`, and kept in every record.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/config/yaml.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::run {

struct Prices {
  std::string currency;
  std::optional<double> cpu_hour;  ///< std::nullopt: no price was given, which is not 0.
  std::optional<double> gpu_hour;
  std::optional<double> node_hour;

  bool any() const { return cpu_hour || gpu_hour || node_hour; }
  auto operator<=>(const Prices&) const = default;
};

constexpr auto fields_of(Tag<Prices>) {
  return FieldTable{
      Field{"currency", "1", "Name of the money, or of the site's unit of account: EUR, SU",
            &Prices::currency},
      Field{"cpu_hour", "1/h", "Price of a CPU that the job was granted, for one hour",
            &Prices::cpu_hour, ">=0"},
      Field{"gpu_hour", "1/h", "Price of a GPU that the job was granted, for one hour",
            &Prices::gpu_hour, ">=0"},
      Field{"node_hour", "1/h", "Price of a node, for one hour", &Prices::node_hour, ">=0"},
  };
}

/// Hours of what the scheduler granted to a job.
struct Usage {
  std::optional<double> wall_h;     ///< std::nullopt: no time is known.
  std::optional<double> cpu_hours;  ///< std::nullopt: the number of CPUs is not known.
  std::optional<double> gpu_hours;
  std::optional<double> node_hours;
  bool granted = false;  ///< CPUs and GPUs of the job; otherwise those that the computation used.
};

/// The usage at those prices; std::nullopt if there is no price, or if a priced number is not
/// known.
std::optional<double> money_of(const Usage& usage, const Prices& prices);

/// "0.01 EUR a CPU-hour, 0.5 EUR a GPU-hour"; "" without prices.
std::string price_text(const Prices& prices);

/// "currency=EUR;cpu_hour=0.01": the format of EPOCHCAST_PRICES.
std::string pack(const Prices& prices);
/// The inverse. Throws Error for an unknown key or a wrong value.
Prices unpack_prices(std::string_view text);

/// Reads `prices: {currency: EUR, cpu_hour: 0.01}` into `prices`; keys that are not given keep
/// their value. `prices: none` removes all. Throws Error with file and line.
void read_prices(const yaml::Node& node, Prices& prices);

/// Throws Error if there is a price but no currency.
void check_prices(const Prices& prices);

/// The prices of each allocation of a cluster profile: those in `defaults`, in the allocation and
/// in `overrides`, in this order. Looks at nothing else of the profile. Throws Error with file and
/// line.
std::map<std::string, Prices> prices_of_profile(const yaml::Node& profile);

}  // namespace epochcast::run
