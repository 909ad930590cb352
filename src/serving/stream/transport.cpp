#include "src/serving/stream/transport.hpp"

#include <fmt/format.h>

#include "src/base/core/registry.hpp"

namespace epochcast::stream {
namespace {

struct Url {
  const TransportSpec& transport;
  std::string where;
};

Url parse_url(const std::string& url) {
  const auto colon = url.find(':');
  if (colon == std::string::npos || colon + 1 == url.size()) {
    throw Error(fmt::format("found '{}', expected one of {}", url, transport_forms()));
  }
  const auto scheme = url.substr(0, colon);
  if (scheme == "redis") {
    throw Error("streams over Redis are not supported; expected one of " + transport_forms());
  }
  return {find_entry(transports::all(), "transport", scheme), url.substr(colon + 1)};
}

}  // namespace

std::unique_ptr<Source> open_source(const std::string& url, const Sink& sink) {
  const auto [transport, where] = parse_url(url);
  return transport.open_source(where, sink);
}

std::unique_ptr<Target> open_target(const std::string& url, const TargetPlace& place) {
  const auto [transport, where] = url.starts_with('@')
                                      ? Url{find_entry(transports::all(), "transport", "tcp"), url}
                                      : parse_url(url);
  return transport.open_target({where, place.source, place.window});
}

std::string transport_forms() {
  std::vector<std::string> forms;
  for (const auto& [name, spec] : transports::all()) {
    forms.push_back(spec.form);
  }
  return join(forms, ", ");
}

}  // namespace epochcast::stream
