#include "src/serving/stream/producer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/training/image/cifar.hpp"

namespace epochcast::stream {
namespace {

constexpr double step_s = 0.05;  ///< A request to stop is noticed after this time.

/// False: `stop` became true before.
bool wait_until(double time_s, const ProducerParts& parts) {
  for (;;) {
    if (parts.stop()) {
      return false;
    }
    parts.target.tend();
    const double left_s = time_s - parts.clock.now_s();
    if (left_s <= 0) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, step_s)));
  }
}

class CifarItems final : public Items {
 public:
  explicit CifarItems(const std::string& folder)
      : pictures_(image::read_cifar(folder, image::CifarPart::test)) {}
  std::size_t size() const override { return pictures_.labels.size(); }
  Item at(std::size_t index) const override {
    const auto* first = pictures_.planes.data() + index * picture_bytes;
    return {.planes = std::string(first, first + picture_bytes), .label = pictures_.labels[index]};
  }

 private:
  image::CifarPictures pictures_;
};

class FileItems final : public Items {
 public:
  explicit FileItems(const std::string& path) : items_(parse_batch(read_file(path), path).items) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].refused.empty()) {
        throw Error(fmt::format("{}: item {}: {}", path, i + 1, items_[i].refused));
      }
    }
  }
  std::size_t size() const override { return items_.size(); }
  Item at(std::size_t index) const override { return items_[index]; }

 private:
  std::vector<Item> items_;
};

class RandomItems final : public Items {
 public:
  std::size_t size() const override { return 60'000; }
  Item at(std::size_t index) const override {
    std::mt19937 random(static_cast<std::mt19937::result_type>(index));
    Item item{.planes = std::string(picture_bytes, '\0'),
              .label = static_cast<std::int64_t>(index % 10)};
    for (char& value : item.planes) {
      value = static_cast<char>(random());
    }
    return item;
  }
};

}  // namespace

bool produce(const ProducerParts& parts) {
  std::int64_t next = 0;
  if (!parts.target.find_next(next, parts.stop)) {
    return false;
  }
  double due_s = parts.clock.now_s();
  for (std::int64_t id = next; id <= parts.options.batches; ++id) {
    if (!wait_until(due_s, parts)) {
      return false;
    }
    const auto size = parts.options.grow ? parts.options.batch * id : parts.options.batch;
    auto items = draw(parts.items, id, size, parts.seed);
    const Batch batch{
        .source = parts.source, .id = id, .triggered = wall_clock_s(), .items = std::move(items)};
    if (!parts.target.release(id, to_json(batch), parts.stop)) {
      return false;
    }
    parts.on_release(id, size);
    due_s += parts.options.every.value;
  }
  return parts.target.finish(parts.stop);
}

std::unique_ptr<Items> open_items(const std::string& where) {
  std::unique_ptr<Items> items;
  if (where == "random") {
    items = std::make_unique<RandomItems>();
  } else if (std::filesystem::is_directory(where)) {
    items = std::make_unique<CifarItems>(where);
  } else {
    items = std::make_unique<FileItems>(where);
  }
  if (items->size() == 0) {
    throw Error(fmt::format("{}: has no items", where));
  }
  return items;
}

std::vector<Item> draw(const Items& items, std::int64_t id, std::int64_t size, std::int64_t seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed) * 1'000'003 +
                         static_cast<std::uint64_t>(id));
  std::vector<Item> drawn;
  for (std::int64_t i = 0; i < size; ++i) {
    drawn.push_back(items.at(random() % items.size()));  // the bias is below 1e-14
  }
  return drawn;
}

}  // namespace epochcast::stream
