#include "src/training/image/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/image/decode.hpp"

namespace epochcast::image {
namespace {

/// Runs `check(i)` for every file. Returns the error messages, which are empty for good files.
std::vector<std::string> image_errors(std::size_t files, int threads,
                                      const std::function<void(std::size_t)>& check) {
  std::vector<std::string> errors(files);
  parallel_for(files, threads, [&](std::size_t i) {
    try {
      check(i);
    } catch (const Error& error) {
      errors[i] = error.what();
    }
  });
  return errors;
}

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string first;
  stream >> first;
  return parse_integer(first).value_or(unlimited);  // the file contains "max" or does not exist
}

std::int64_t available_bytes(const fs::path& root) {
  std::ifstream meminfo(root / "proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  for (std::string unit; meminfo >> name >> kib;) {
    if (name == "MemAvailable:") {
      return kib * 1024;
    }
    std::getline(meminfo, unit);
  }
  return unlimited;
}

/// The lowest limit of `group` and all its parents.
std::int64_t least_limit(const fs::path& mount, fs::path group, const char* file) {
  std::int64_t least = number_in(mount / file);
  for (; group.has_relative_path(); group = group.parent_path()) {
    least = std::min(least, number_in(mount / group.relative_path() / file));
  }
  return least;
}

/// The lowest memory limit of both versions of control groups: "0::/path" (v2) and "4:memory:/path"
/// (v1).
std::int64_t group_limit_bytes(const fs::path& root) {
  std::int64_t least = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto parts = split(line, ':');
    if (parts.size() == 3 && parts[1].empty()) {
      least = std::min(least, least_limit(root / "sys/fs/cgroup", parts[2], "memory.max"));
    } else if (parts.size() == 3 && parts[1] == "memory") {
      least = std::min(
          least, least_limit(root / "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::int64_t slurm_bytes() {
  const char* mib = std::getenv("SLURM_MEM_PER_NODE");
  const std::int64_t number = parse_integer(mib == nullptr ? "" : mib).value_or(0);
  return number > 0 ? number << 20 : unlimited;  // 0: all memory of the node
}

}  // namespace

ImageSource image_files(std::vector<ImageFile> files) {
  ImageSource source;
  for (const ImageFile& file : files) {
    source.labels.push_back(file.label);
  }
  const auto shared = std::make_shared<const std::vector<ImageFile>>(std::move(files));
  source.name = [shared](std::size_t index) { return (*shared)[index].path; };
  source.read = [shared](std::size_t index) { return read_image((*shared)[index].path); };
  source.check = [shared](std::size_t index) { check_image_header((*shared)[index].path); };
  return source;
}

ImageLoader::ImageLoader(ImageSource source, const LoaderOptions& options)
    : source_(std::move(source)), options_(options), good_(source_.labels.size()) {
  std::iota(good_.begin(), good_.end(), 0);
  if (good_.size() * sample_bytes() <= std::size_t(options_.cache_bytes)) {
    fill_cache();
  } else {
    check_headers();
    pool_ = std::make_unique<WorkerPool>(options_.threads);
  }
}

ImageLoader::~ImageLoader() = default;

std::size_t ImageLoader::sample_bytes() const {
  return std::size_t(options_.width) * std::size_t(options_.height) * Image::channels;
}

void ImageLoader::decode(std::size_t index, std::uint8_t* planes) const {
  const Image image = source_.read(index);
  try {
    split_planes(fitted(image, options_.preprocessing, options_.width, options_.height), planes);
  } catch (const Error& error) {
    throw Error(source_.name(index) + ": " + error.what());
  }
}

void ImageLoader::fill_cache() {
  cache_.resize(good_.size() * sample_bytes());
  const auto errors = image_errors(good_.size(), options_.threads, [this](std::size_t i) {
    decode(good_[i], &cache_[i * sample_bytes()]);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < good_.size(); ++i) {
    if (errors[i].empty() || options_.keep_places) {
      std::memmove(&cache_[kept++ * sample_bytes()], &cache_[i * sample_bytes()], sample_bytes());
    }
  }
  cache_.resize(kept * sample_bytes());
  drop_bad(errors);
}

void ImageLoader::check_headers() {
  drop_bad(image_errors(good_.size(), options_.threads,
                        [this](std::size_t i) { source_.check(good_[i]); }));
}

void ImageLoader::drop_bad(const std::vector<std::string>& errors) {
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < good_.size(); ++i) {
    empty_.push_back(!errors[i].empty());
    if (errors[i].empty()) {
      good.push_back(good_[i]);
      continue;
    }
    if (options_.refuse_bad_files) {
      throw Error(errors[i]);
    }
    skipped_.push_back(errors[i]);
  }
  if (good.empty()) {
    throw Error(fmt::format("none of {} image files can be read{}", good_.size(),
                            skipped_.empty() ? "" : "; the first: " + skipped_.front()));
  }
  if (!options_.keep_places) {
    good_ = std::move(good);
    empty_.assign(good_.size(), false);
  }
}

void ImageLoader::start(std::vector<std::int64_t> order, std::int64_t batch) {
  if (pool_) {
    pool_->clear();
  }
  ahead_.clear();
  order_ = std::move(order);
  batch_ = std::size_t(batch);
  taken_ = 0;
  submitted_ = 0;
  read_ahead();
}

std::int64_t ImageLoader::next_size() const {
  return std::int64_t(std::min(batch_, order_.size() - taken_));
}

void ImageLoader::next(const std::function<void(const ImageSample&)>& take) {
  for (auto left = next_size(); left > 0; --left) {
    const auto index = std::size_t(order_[taken_++]);
    if (cached()) {
      const std::span planes(&cache_[index * sample_bytes()], empty_[index] ? 0 : sample_bytes());
      take({planes, label(index)});
      continue;
    }
    const OwnedSample sample = ahead_.front().get();
    ahead_.pop_front();
    read_ahead();
    take({sample.planes, sample.label});
  }
}

/// Reads two batches ahead: the one that the next step needs, and the one that the threads load in
/// the meantime.
void ImageLoader::read_ahead() {
  while (pool_ && ahead_.size() < 2 * batch_ && submitted_ < order_.size()) {
    const auto index = std::size_t(order_[submitted_++]);
    ahead_.push_back(pool_->submit([this, index] { return load(index); }));
  }
}

void ImageLoader::note_bad(const std::string& error) {
  const std::lock_guard lock(skipped_mutex_);
  if (std::find(skipped_.begin(), skipped_.end(), error) == skipped_.end()) {
    skipped_.push_back(error);
  }
}

/// Returns false if the file of the sample cannot be read.
bool ImageLoader::load_into(OwnedSample& loaded, std::size_t sample) {
  loaded.label = label(sample);
  try {
    decode(good_[sample], loaded.planes.data());
    return true;
  } catch (const Error& error) {
    if (options_.refuse_bad_files) {
      throw;
    }
    note_bad(error.what());
    return false;
  }
}

/// Called by the pool's threads.
ImageLoader::OwnedSample ImageLoader::load(std::size_t sample) {
  OwnedSample loaded{std::vector<std::uint8_t>(sample_bytes()), 0};
  for (std::size_t tries = 0; tries < good_.size(); ++tries) {
    if (load_into(loaded, (sample + tries) % good_.size())) {
      return loaded;
    }
    if (options_.keep_places) {
      loaded.planes.clear();
      return loaded;
    }
  }
  throw Error(fmt::format("none of {} image files can be read", good_.size()));
}

std::vector<std::string> ImageLoader::notes() const {
  constexpr std::size_t most = 100;
  std::vector<std::string> notes;
  const std::int64_t bytes = size() * std::int64_t(sample_bytes());
  notes.push_back(
      cached() ? fmt::format("{} images decoded once, {} in memory", size(), format_bytes(bytes))
               : fmt::format("{} images decoded in every epoch: {} needed, cache of {}", size(),
                             format_bytes(bytes), format_bytes(options_.cache_bytes)));
  const std::lock_guard lock(skipped_mutex_);
  for (std::size_t i = 0; i < std::min(most, skipped_.size()); ++i) {
    notes.push_back("skipped " + skipped_[i]);
  }
  if (skipped_.size() > most) {
    notes.push_back(fmt::format("skipped {} files more", skipped_.size() - most));
  }
  return notes;
}

std::int64_t cache_budget_bytes(const std::string& root) {
  return std::min({available_bytes(root), group_limit_bytes(root), slurm_bytes()}) / 4;
}

}  // namespace epochcast::image
