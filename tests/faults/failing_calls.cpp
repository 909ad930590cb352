// Preloaded into a program and all that it starts: the call with a given number, among those that
// change a file below a folder, fails as a full disk, a quota, a bad sector or a kill makes it
// fail. faults.py chooses number and kind.
//
//   EPOCHCAST_FAULT="KIND NUMBER COUNTER FOLDER"
//
// COUNTER is a file of 8 bytes that all processes share; COUNTER.calls gets a line for each call:
// "write /path". KIND is the name of an error, "short" (half of the bytes are written), or
// "before", "within", "after": when SIGKILL comes. ENOSPC, EDQUOT and EROFS last, as they do; the
// others strike once. The shell writes by itself, and is not seen here.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

enum class Kind { none, error, lasting_error, short_write, before, within, after };

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Fault {
  Kind kind = Kind::none;
  int error = 0;
  std::uint64_t number = 0;
  std::string folder;
  std::atomic<std::uint64_t>* counter = nullptr;
  int calls = -1;

  Fault() {
    const char* text = std::getenv("EPOCHCAST_FAULT");
    char name[32], counter_path[PATH_MAX], place[PATH_MAX];
    unsigned long long at = 0;
    if (text == nullptr ||
        std::sscanf(text, "%31s %llu %4095s %4095s", name, &at, counter_path, place) != 4) {
      return;
    }
    const struct {
      const char* name;
      Kind kind;
      int error;
    } kinds[] = {{"ENOSPC", Kind::lasting_error, ENOSPC},
                 {"EDQUOT", Kind::lasting_error, EDQUOT},
                 {"EROFS", Kind::lasting_error, EROFS},
                 {"EIO", Kind::error, EIO},
                 {"EINTR", Kind::error, EINTR},
                 {"short", Kind::short_write, 0},
                 {"before", Kind::before, 0},
                 {"within", Kind::within, 0},
                 {"after", Kind::after, 0}};
    for (const auto& known : kinds) {
      if (std::strcmp(known.name, name) == 0) {
        kind = known.kind, error = known.error;
      }
    }
    using Open = int(const char*, int, ...);
    const int file = next<Open>("open")(counter_path, O_RDWR | O_CLOEXEC);
    calls = next<Open>("open")((std::string(counter_path) + ".calls").c_str(),
                               O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    void* memory = mmap(nullptr, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory != MAP_FAILED) {
      counter = static_cast<std::atomic<std::uint64_t>*>(memory);
      number = at, folder = place;
    }
  }
};

Fault& fault() {
  static auto* const one = new Fault();  // used until the process ends
  return *one;
}

std::string path_of(int descriptor) {
  char name[64], path[PATH_MAX];
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
  const auto length = readlink(name, path, sizeof(path));
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

std::string path_at(int folder, const char* path) {
  if (path[0] == '/') {
    return path;
  }
  char here[PATH_MAX];
  const auto base = folder == AT_FDCWD
                        ? std::string(getcwd(here, sizeof(here)) == nullptr ? "" : here)
                        : path_of(folder);
  return base + "/" + path;
}

/// What happens to a call that changes `path`. `call` takes how much of it to do: 1, or 0.5 of a
/// write.
template <class Call>
auto change(const char* name, const std::string& path, bool is_write, Call call)
    -> decltype(call(1.0)) {
  auto& fault = ::fault();
  if (fault.counter == nullptr || path.compare(0, fault.folder.size(), fault.folder) != 0) {
    return call(1.0);
  }
  const auto number = ++*fault.counter;
  if (fault.calls >= 0) {
    const auto line = std::string(name) + " " + path + "\n";
    next<ssize_t(int, const void*, std::size_t)>("write")(fault.calls, line.data(), line.size());
  }
  const bool strikes =
      fault.number > 0 &&
      (number == fault.number || (number > fault.number && fault.kind == Kind::lasting_error));
  const bool removes = std::strcmp(name, "unlink") == 0;
  if (!strikes || (removes && fault.error != EROFS && fault.error != EIO && fault.error != 0) ||
      (!is_write && (fault.error == EINTR || fault.kind == Kind::short_write))) {
    return call(1.0);
  }
  switch (fault.kind) {
    case Kind::error:
    case Kind::lasting_error:
      errno = fault.error;
      return -1;
    case Kind::short_write:
      return call(0.5);
    case Kind::within:
      call(is_write ? 0.5 : 1.0);
      [[fallthrough]];
    case Kind::before:
      kill(getpid(), SIGKILL);
      break;
    case Kind::after:
      call(1.0);
      kill(getpid(), SIGKILL);
      break;
    case Kind::none:
      break;
  }
  return call(1.0);
}

std::size_t part(double how_much, std::size_t count) {
  return how_much < 1 && count > 1 ? count / 2 : count;
}

bool changes(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0;
}

}  // namespace

extern "C" {

// With files of 64 bits, which this system has, both names of a call are one.

ssize_t write(int file, const void* bytes, size_t count) {
  return change("write", path_of(file), true, [=](double how_much) {
    return next<ssize_t(int, const void*, size_t)>("write")(file, bytes, part(how_much, count));
  });
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  return change("pwrite", path_of(file), true, [=](double how_much) {
    return next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(file, bytes,
                                                                        part(how_much, count), at);
  });
}
ssize_t pwrite(int, const void*, size_t, off_t) __attribute__((alias("pwrite64")));

ssize_t writev(int file, const iovec* parts, int count) {
  return change("writev", path_of(file), true, [=](double how_much) {
    return next<ssize_t(int, const iovec*, int)>("writev")(
        file, parts, static_cast<int>(part(how_much, static_cast<size_t>(count))));
  });
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const auto call = [=](double) {
    return next<int(int, const char*, int, ...)>("openat64")(folder, path, flags, mode);
  };
  return changes(flags) ? change("open", path_at(folder, path), false, call) : call(1);
}
int openat(int, const char*, int, ...) __attribute__((alias("openat64")));
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return openat64(AT_FDCWD, path, flags, mode);
}
int open(const char*, int, ...) __attribute__((alias("open64")));
FILE* fopen64(const char* path, const char* mode) {
  if (mode[0] == 'r' && std::strchr(mode, '+') == nullptr) {
    return next<FILE*(const char*, const char*)>("fopen64")(path, mode);
  }
  FILE* opened = nullptr;
  change("fopen", path_at(AT_FDCWD, path), false, [&](double) {
    opened = next<FILE*(const char*, const char*)>("fopen64")(path, mode);
    return opened == nullptr ? -1 : 0;
  });
  return opened;
}
FILE* fopen(const char*, const char*) __attribute__((alias("fopen64")));

int rename(const char* from, const char* to) {
  return change("rename", path_at(AT_FDCWD, to), false,
                [=](double) { return next<int(const char*, const char*)>("rename")(from, to); });
}
int link(const char* from, const char* to) noexcept {
  return change("link", path_at(AT_FDCWD, to), false,
                [=](double) { return next<int(const char*, const char*)>("link")(from, to); });
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return change("link", path_at(to_folder, to), false, [=](double) {
    return next<int(int, const char*, int, const char*, int)>("linkat")(from_folder, from,
                                                                        to_folder, to, flags);
  });
}
int unlink(const char* path) noexcept {
  return change("unlink", path_at(AT_FDCWD, path), false,
                [=](double) { return next<int(const char*)>("unlink")(path); });
}
int mkdir(const char* path, mode_t mode) noexcept {
  return change("mkdir", path_at(AT_FDCWD, path), false,
                [=](double) { return next<int(const char*, mode_t)>("mkdir")(path, mode); });
}
int ftruncate64(int file, off64_t size) noexcept {
  return change("ftruncate", path_of(file), false,
                [=](double) { return next<int(int, off64_t)>("ftruncate64")(file, size); });
}
int ftruncate(int, off_t) noexcept __attribute__((alias("ftruncate64")));
int posix_fallocate64(int file, off64_t at, off64_t size) {
  const auto done = change("fallocate", path_of(file), false, [=](double) {
    errno = next<int(int, off64_t, off64_t)>("posix_fallocate64")(file, at, size);
    return errno == 0 ? 0 : -1;
  });
  return done == 0 ? 0 : errno;  // as this function says it
}
int posix_fallocate(int, off_t, off_t) __attribute__((alias("posix_fallocate64")));
int fsync(int file) {
  return change("fsync", path_of(file), false,
                [=](double) { return next<int(int)>("fsync")(file); });
}
int fdatasync(int file) {
  return change("fdatasync", path_of(file), false,
                [=](double) { return next<int(int)>("fdatasync")(file); });
}

}  // extern "C"
