// A library that belongs to the driver of a GPU: opened at run time if it exists, not linked.
#pragma once

#include <dlfcn.h>

#include <string>
#include <utility>
#include <vector>

namespace epochcast::telemetry {

class DriverLibrary {
 public:
  /// Opens the first of `names` that exists and starts by `start()`, a function that gives whether
  /// it did; `stop` is called at the end. Not open if there is none.
  template <class Start>
  DriverLibrary(const std::vector<std::string>& names, Start start, const char* stop)
      : stop_(stop) {
    for (const auto& name : names) {
      handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr && start(*this)) {
        open_ = true;
        return;
      }
      close();
    }
  }
  ~DriverLibrary() {
    if (open_) {
      call<>(stop_);
    }
    close();
  }
  DriverLibrary(DriverLibrary&&) = delete;

  bool is_open() const { return open_; }

  /// False if the function is missing or fails. The arguments must have exactly the types of the
  /// library's header.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    constexpr int success = 0;
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == success;
  }

 private:
  void close() {
    if (handle_ != nullptr) {
      dlclose(std::exchange(handle_, nullptr));
    }
  }

  const char* stop_;
  void* handle_ = nullptr;
  bool open_ = false;
};

}  // namespace epochcast::telemetry
