#include "src/base/core/strict_json.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

constexpr std::size_t longest_shown = 60;

/// Checks the events of the parser. The library itself uses the last of several equal names and
/// does not limit the nesting.
class Watch {
 public:
  Watch(const std::string& where, int depth) : where_(where), depth_(depth) {}

  bool operator()(int depth, Event event, const json& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= depth_) {
      throw Error(fmt::format("{}: found JSON nested deeper than {}", where_, depth_));
    }
    if (event == Event::object_start) {
      names_.emplace_back();
    } else if (event == Event::object_end) {
      names_.pop_back();
    } else if (event == Event::key && !names_.back().insert(parsed.get<std::string>()).second) {
      throw Error(fmt::format("{}: found the name {} twice", where_,
                              shown_name(parsed.get<std::string>())));
    }
    return true;
  }

 private:
  const std::string& where_;
  int depth_;
  std::vector<std::set<std::string>> names_;  ///< The names of each open object.
};

}  // namespace

json parse_strict_json(std::string_view text, const std::string& where, int depth) {
  Watch watch(where, depth);
  try {
    return json::parse(text,
                       [&](int at, Event event, json& parsed) { return watch(at, event, parsed); });
  } catch (const json::parse_error& error) {
    throw Error(fmt::format("{}: is no JSON at its byte {}", where, error.byte));
  } catch (const json::exception&) {  // a number outside the range of double
    throw Error(fmt::format("{}: is no JSON", where));
  }
}

std::string shown_name(std::string_view name) {
  const bool cut = name.size() > longest_shown;
  const json text = std::string(name.substr(0, longest_shown)) + (cut ? "..." : "");
  return text.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

}  // namespace epochcast
