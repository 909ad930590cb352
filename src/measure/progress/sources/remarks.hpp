// Counts what cannot be read, by kind, and names the first of each kind.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace epochcast::progress::sources {

class Remarks {
 public:
  /// `kind` is what several of them are: "lines are no events"; `place`, the first one: "line 7".
  void add(const std::string& kind, const std::string& place);
  /// "NAME: 3 lines are no events; the first: line 7", a line a kind.
  std::vector<std::string> lines(const std::string& name) const;
  std::int64_t count() const;

 private:
  struct Kind {
    std::int64_t count = 0;
    std::string first;
  };
  std::map<std::string, Kind> kinds_;
};

}  // namespace epochcast::progress::sources
