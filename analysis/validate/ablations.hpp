// A method with each of its parts left out.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace epochcast::analysis {

/// What `make(name, parts)` gives for the parts of a method after each change: "without NAME".
template <class Parts, class Make>
auto ablations(const std::vector<std::pair<std::string, std::function<void(Parts&)>>>& without,
               Make make) {
  std::vector<decltype(make("", Parts{}))> made;
  for (const auto& [name, leave_out] : without) {
    Parts parts;
    leave_out(parts);
    made.push_back(make("without " + name, parts));
  }
  return made;
}

}  // namespace epochcast::analysis
