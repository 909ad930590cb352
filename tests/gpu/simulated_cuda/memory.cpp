// Memory of the simulated device: one file mapped twice. The addresses of tensors lie in a mapping
// without any rights, so a host that reads one is ended by SIGSEGV in that line; kernels use the
// other mapping. It ends after SIMULATED_CUDA_BYTES, and what nobody wrote reads as NaN.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "tests/gpu/simulated_cuda/simulated.hpp"

namespace epochcast::simulated {
namespace {

constexpr std::int64_t default_bytes = std::int64_t{4} << 30;
constexpr std::size_t block_bytes = 512;

class Memory {
 public:
  Memory() {
    const int file = memfd_create("simulated_cuda", 0);
    if (file < 0 || ftruncate(file, off_t(bytes_)) != 0) {
      std::abort();
    }
    device_ = map(file, PROT_NONE);
    host_ = map(file, PROT_READ | PROT_WRITE);
  }

  void* take(std::size_t wanted) {
    const std::lock_guard lock(mutex_);
    auto size = (wanted + block_bytes - 1) / block_bytes * block_bytes;
    char* block = nullptr;
    const auto found = free_.lower_bound(size);
    if (found != free_.end() && found->first <= 2 * size) {
      std::tie(size, block) = *found;
      free_.erase(found);
    } else {
      TORCH_CHECK_WITH(OutOfMemoryError, end_ + size <= bytes_,
                       "CUDA out of memory. Tried to allocate ", size,
                       " bytes. The simulated CUDA device has ", bytes_, " bytes.");
      block = device_ + end_;
      end_ += size;
    }
    std::memset(on_host(block), 0xff, size);  // NaN
    used_[block] = size;
    if (is_capturing()) {
      of_capture_.insert(block);
    }
    return block;
  }

  void give_back(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(static_cast<char*>(block));
    free_.emplace(found->second, found->first);
    used_.erase(found);
  }

  void* on_host(const void* device) const {
    return host_ + (static_cast<const char*>(device) - device_);
  }

  std::int64_t reserved_bytes() const { return std::int64_t(end_); }

  std::vector<char> begin_capture() {
    const std::lock_guard lock(mutex_);
    of_capture_.clear();
    return {host_, host_ + end_};
  }
  void end_capture(const std::vector<char>& before) {
    const std::lock_guard lock(mutex_);
    std::memcpy(host_, before.data(), before.size());
  }
  bool is_of_capture(const void* block) {
    const std::lock_guard lock(mutex_);
    return of_capture_.contains(static_cast<const char*>(block));
  }

 private:
  char* map(int file, int rights) const {
    return static_cast<char*>(mmap(nullptr, bytes_, rights, MAP_SHARED, file, 0));
  }

  std::size_t bytes_ = std::size_t(setting("SIMULATED_CUDA_BYTES", default_bytes));
  char* device_;
  char* host_;
  std::mutex mutex_;
  std::size_t end_ = 0;  ///< Of what was ever in use.
  std::multimap<std::size_t, char*> free_;
  std::map<char*, std::size_t> used_;
  std::set<const char*> of_capture_;
};

Memory& memory() {
  static auto* all = new Memory;
  return *all;
}

struct DeviceAllocator final : c10::Allocator {
  static void drop(void* block) { memory().give_back(block); }
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device device(c10::kCUDA, 0);
    if (bytes == 0) {
      return {nullptr, device};
    }
    void* block = memory().take(bytes);
    return {block, block, &drop, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &drop; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    std::memcpy(on_host(to), on_host(from), count);
  }
};

/// Memory of the host, remembered.
struct Pinned {
  std::mutex mutex;
  std::map<const char*, std::size_t> blocks;
};
Pinned& pinned() {
  static auto* all = new Pinned;
  return *all;
}

struct PinnedAllocator final : c10::Allocator {
  static void drop(void* block) {
    const std::lock_guard lock(pinned().mutex);
    pinned().blocks.erase(static_cast<char*>(block));
    std::free(block);
  }
  c10::DataPtr allocate(std::size_t bytes) override {
    refuse_in_capture("pinned memory", false);
    auto* block = static_cast<char*>(std::malloc(std::max<std::size_t>(bytes, 1)));
    const std::lock_guard lock(pinned().mutex);
    pinned().blocks[block] = bytes;
    return {block, block, &drop, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &drop; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    std::memcpy(to, from, count);
  }
};

[[maybe_unused]] const bool memory_registered = [] {
  constexpr std::uint8_t priority = 1;
  c10::SetAllocator(c10::kCUDA, &device_memory(), priority);
  return true;
}();

}  // namespace

c10::Allocator& device_memory() {
  static DeviceAllocator allocator;
  return allocator;
}

c10::Allocator& pinned_memory() {
  static PinnedAllocator allocator;
  return allocator;
}

bool is_pinned(const void* address) {
  const auto* byte = static_cast<const char*>(address);
  const std::lock_guard lock(pinned().mutex);
  const auto after = pinned().blocks.upper_bound(byte);
  return after != pinned().blocks.begin() &&
         byte < std::prev(after)->first + std::prev(after)->second;
}

void* on_host(const void* device) {
  return memory().on_host(device);
}

std::vector<char> begin_capture_of_memory() {
  return memory().begin_capture();
}

void end_capture_of_memory(const std::vector<char>& before) {
  memory().end_capture(before);
}

bool is_of_capture(const void* block) {
  return memory().is_of_capture(block);
}

std::int64_t peak_bytes() {
  return memory().reserved_bytes();
}

}  // namespace epochcast::simulated
