// The Python that some tests compare with: $EPOCHCAST_PYTHON, else the one env/test puts into
// .deps.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace epochcast::tests {

/// The interpreter, if there is one that has `module`; a test without it skips by name.
inline std::optional<std::string> python_with(const std::string& module) {
  const char* chosen = std::getenv("EPOCHCAST_PYTHON");
  const std::string python =
      chosen != nullptr ? chosen : EPOCHCAST_SOURCE_DIR "/.deps/python/bin/python";
  const std::string probe = "'" + python + "' -c 'import " + module + "' > /dev/null 2>&1";
  return std::system(probe.c_str()) == 0 ? std::optional(python) : std::nullopt;
}

}  // namespace epochcast::tests
