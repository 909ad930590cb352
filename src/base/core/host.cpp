#include "src/base/core/host.hpp"

#include <sys/utsname.h>

namespace epochcast {

std::string host_name() {
  utsname kernel{};
  uname(&kernel);
  return kernel.nodename;
}

}  // namespace epochcast
