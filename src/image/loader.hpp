// Pictures as training samples: decoded and resized by several threads ahead of the step that needs
// them, or once for all where all of them fit into memory.
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

#include "src/image/folder.hpp"
#include "src/image/preprocessing.hpp"
#include "src/image/worker_pool.hpp"

namespace epochcast::image {

struct LoaderOptions {
  int width = 64;
  int height = 64;
  Preprocessing preprocessing;
  int threads = 1;  ///< CPUs that the allocation gave.
  /// Samples are kept in memory if all of them need no more than this.
  std::int64_t cache_bytes = 0;
  /// Else a file that cannot be read is named in notes() and left out.
  bool refuse_bad_files = false;
  /// A file that cannot be read keeps its place and has no picture: for who asks for samples by
  /// number, and must not get another's.
  bool keep_places = false;
};

/// Where pictures come from. The functions are called by several threads at once.
struct ImageSource {
  std::vector<std::int64_t> labels;                    ///< One a picture.
  std::function<std::string(std::size_t index)> name;  ///< For errors.
  std::function<Image(std::size_t index)> read;        ///< Throws Error, which names the picture.
  std::function<void(std::size_t index)> check;        ///< The same of what shows at little cost.
};

/// Files, decoded as they are read.
ImageSource image_files(std::vector<ImageFile> files);

/// A picture of the size asked for: its red plane, then green, then blue.
struct ImageSample {
  std::span<const std::uint8_t> planes;  ///< None: the file cannot be read (keep_places).
  std::int64_t label = 0;
};

/// Samples in an order that is told pass by pass. Calls come from one thread.
///
/// Which files are bad must be known at the start, for the length of an epoch follows from it.
/// Where all samples fit the cache, opening decodes everything: every bad file is found, and no
/// thread of the loader runs afterwards. Where they do not, opening checks every file (its first
/// bytes); one that turns out damaged later is named in notes() and its place in the batch is taken
/// by the next one, so that the length stays. With keep_places none of this happens: all files are
/// samples, whatever is found in them and whenever.
class ImageLoader {
 public:
  /// Throws Error: a bad file if they are refused; no good file at all.
  ImageLoader(ImageSource source, const LoaderOptions& options);
  ImageLoader(std::vector<ImageFile> files, const LoaderOptions& options)
      : ImageLoader(image_files(std::move(files)), options) {}
  ~ImageLoader();
  ImageLoader(const ImageLoader&) = delete;
  ImageLoader& operator=(const ImageLoader&) = delete;

  /// Samples a pass can have: those that are not known to be bad.
  std::int64_t size() const { return std::int64_t(good_.size()); }
  /// Which picture of the source it is, by name.
  std::string name(std::int64_t sample) const {
    return source_.name(good_[static_cast<std::size_t>(sample)]);
  }
  bool cached() const { return !cache_.empty(); }
  std::int64_t cached_bytes() const { return std::int64_t(cache_.size()); }

  /// Begins a pass over the samples `order` (each in [0, size())) in batches of `batch`; an
  /// unfinished pass is dropped. From here on the threads read ahead.
  void start(std::vector<std::int64_t> order, std::int64_t batch);

  /// Samples in the next batch; 0 at the end of the pass.
  std::int64_t next_size() const;

  /// Calls `take` with each sample of the next batch, in their order; waits for them. The planes
  /// are valid during the call only. Throws Error for a bad file if they are refused.
  void next(const std::function<void(const ImageSample&)>& take);

  /// One line a file left out (the first hundred), and what is cached.
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
  std::vector<std::size_t> good_;    ///< Of every sample, which picture of the source it is.
  std::vector<std::uint8_t> cache_;  ///< All samples one after the other, or empty.
  std::vector<bool> empty_;          ///< Of every sample, whether its file was found bad and kept.

  std::vector<std::int64_t> order_;
  std::size_t batch_ = 1;
  std::size_t taken_ = 0;      ///< Samples of the pass that next() has given.
  std::size_t submitted_ = 0;  ///< Samples of the pass that the pool has been asked for.
  std::deque<std::future<OwnedSample>> ahead_;

  mutable std::mutex skipped_mutex_;
  std::vector<std::string> skipped_;

  // Last: its threads use all of the above. None while all is cached.
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace epochcast::image
