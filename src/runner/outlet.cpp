#include "src/runner/outlet.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace epochcast::runner {

bool Outlet::pass_on(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const bool written = write_all(bytes);
  screen_.read(bytes);
  wrote_at_s_ = clock_.now_s();
  return written;
}

bool Outlet::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // whoever gave us the descriptor made it so
      pollfd ready{descriptor_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      why_ = std::strerror(errno);
      return false;
    }
  }
  return true;
}

bool Outlet::add_line(const std::string& line, double quiet_s) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock && screen_.at_line_start() && clock_.now_s() - wrote_at_s_ >= quiet_s &&
         write_all(line + "\n");
}

bool Outlet::add_sequence(const std::string& sequence) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock && screen_.between_characters() && write_all(sequence);
}

}  // namespace epochcast::runner
