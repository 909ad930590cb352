// The Python that some tests compare with: $EPOCHCAST_PYTHON, else the one env/test puts into
// .deps.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace epochcast::tests {

/// The interpreter, if there is one that has these modules ("h5py, pandas"); a test without them
/// skips by name. They are looked up, not imported: an import of PyTorch takes seconds.
inline std::optional<std::string> python_with(const std::string& modules) {
  const char* chosen = std::getenv("EPOCHCAST_PYTHON");
  const std::string python =
      chosen != nullptr ? chosen : EPOCHCAST_SOURCE_DIR "/.deps/python/bin/python";
  const std::string probe = "'" + python + "' -c 'import importlib.util as util, sys\n" +
                            "sys.exit(not all(util.find_spec(name) for name in \"" + modules +
                            "\".split(\", \")))' > /dev/null 2>&1";
  return std::system(probe.c_str()) == 0 ? std::optional(python) : std::nullopt;
}

}  // namespace epochcast::tests
