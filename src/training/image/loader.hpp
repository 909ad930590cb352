// Loads images as training samples. Several threads decode and resize them ahead of the step that
// needs them, or once for the whole run if all of them fit into memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "src/training/image/folder.hpp"
#include "src/training/image/preprocessing.hpp"
#include "src/training/image/worker_pool.hpp"

namespace epochcast::image {

struct LoaderOptions {
  int width = 64;
  int height = 64;
  Preprocessing preprocessing;
  int threads = 1;  ///< CPUs of the allocation.
  /// Samples are cached in memory if all of them together need at most this many bytes.
  std::int64_t cache_bytes = 0;
  /// If true, an unreadable file is an error; otherwise it is listed in notes() and excluded.
  bool refuse_bad_files = false;
  /// An unreadable file keeps its index and has no image. For callers that request samples by index
  /// and must not get a different image.
  bool keep_places = false;
};

/// A source of images. Several threads call the functions at once.
struct ImageSource {
  std::vector<std::int64_t> labels;                    ///< One per image.
  std::function<std::string(std::size_t index)> name;  ///< For errors.
  std::function<Image(std::size_t index)> read;        ///< Throws Error, which names the image.
  std::function<void(std::size_t index)> check;        ///< Like `read`, but only cheap checks.
};

/// Files that are decoded each time they are read.
ImageSource image_files(std::vector<ImageFile> files);

/// An image of the requested size: its red plane, then green, then blue.
struct ImageSample {
  std::span<const std::uint8_t> planes;  ///< Empty: the file cannot be read (keep_places).
  std::int64_t label = 0;
};

/// Loads samples in an order that is given for each pass. All calls must come from one thread.
///
/// The length of an epoch depends on the number of unreadable files, so these must be known at the
/// start. If all samples fit the cache, the constructor decodes everything: it finds every bad
/// file, and no thread of the loader runs afterwards. Otherwise, the constructor checks the first
/// bytes of every file. A file that turns out to be damaged later is listed in notes(), and the
/// next sample takes its place in the batch, so that the length does not change. With keep_places,
/// none of this happens: all files are samples, whether they are readable or not.
class ImageLoader {
 public:
  /// Throws Error for a bad file if refuse_bad_files is set, and if there is no good file.
  ImageLoader(ImageSource source, const LoaderOptions& options);
  ImageLoader(std::vector<ImageFile> files, const LoaderOptions& options)
      : ImageLoader(image_files(std::move(files)), options) {}
  ~ImageLoader();
  ImageLoader(ImageLoader&&) = delete;

  /// Number of samples that a pass can use: those not known to be bad.
  std::int64_t size() const { return std::int64_t(good_.size()); }
  /// The name of the image in the source.
  std::string name(std::int64_t sample) const {
    return source_.name(good_[static_cast<std::size_t>(sample)]);
  }
  bool cached() const { return !cache_.empty(); }
  std::int64_t cached_bytes() const { return std::int64_t(cache_.size()); }

  /// Starts a pass over the samples `order` (each in [0, size())) in batches of `batch`; cancels an
  /// unfinished pass. From then on, the threads read ahead.
  void start(std::vector<std::int64_t> order, std::int64_t batch);

  /// Number of samples in the next batch; 0 at the end of the pass.
  std::int64_t next_size() const;

  /// Waits for the samples of the next batch and calls `take` with each, in order. The planes are
  /// valid only during the call. Throws Error for a bad file if refuse_bad_files is set.
  void next(const std::function<void(const ImageSample&)>& take);

  /// One line per excluded file (the first hundred), and a line about the cache.
  std::vector<std::string> notes() const;

 private:
  struct OwnedSample {
    std::vector<std::uint8_t> planes;
    std::int64_t label = 0;
  };

  std::size_t sample_bytes() const;
  std::int64_t label(std::size_t sample) const { return source_.labels[good_[sample]]; }
  void decode(std::size_t index, std::uint8_t* planes) const;
  void fill_cache();
  void check_headers();
  void drop_bad(const std::vector<std::string>& errors);
  void note_bad(const std::string& error);
  bool load_into(OwnedSample& loaded, std::size_t sample);
  OwnedSample load(std::size_t sample);
  void read_ahead();

  ImageSource source_;
  LoaderOptions options_;
  std::vector<std::size_t> good_;    ///< For each sample, the index of its image in the source.
  std::vector<std::uint8_t> cache_;  ///< All samples one after the other, or empty.
  std::vector<bool> empty_;          ///< For each sample, whether its file was found bad and kept.

  std::vector<std::int64_t> order_;
  std::size_t batch_ = 1;
  std::size_t taken_ = 0;      ///< Samples of the pass that next() has returned.
  std::size_t submitted_ = 0;  ///< Samples of the pass that were submitted to the pool.
  std::deque<std::future<OwnedSample>> ahead_;

  mutable std::mutex skipped_mutex_;
  std::vector<std::string> skipped_;

  // Last: its threads use all members above. nullptr if all samples are cached.
  std::unique_ptr<WorkerPool> pool_;
};

/// A quarter of the memory that this process may use, in bytes. That memory is the smallest of: the
/// memory available on the machine, the limits of the control groups of the process, and the memory
/// granted by Slurm (SLURM_MEM_PER_NODE). The rest is left to the training. `root` replaces "/" in
/// tests.
std::int64_t cache_budget_bytes(const std::string& root = "/");

}  // namespace epochcast::image
