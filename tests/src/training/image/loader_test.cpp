#include "src/training/image/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "src/base/core/error.hpp"
#include "src/training/image/decode.hpp"
#include "src/training/image/resize.hpp"
#include "tests/src/training/image/fixtures.hpp"

namespace epochcast::image {
namespace {

using test::pattern;
using test::TestFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t plenty = 1 << 30;

/// `count` pictures of different sizes, each with its own number as label.
std::vector<ImageFile> write_images(const TestFolder& folder, int count) {
  std::vector<ImageFile> files;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i) + ".png";
    files.push_back({folder.write(name, png_bytes(pattern(20 + i, 30 + i % 7))), i});
  }
  return files;
}

std::vector<std::int64_t> backwards(std::int64_t count) {
  std::vector<std::int64_t> order(std::size_t(count), 0);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

struct Batches {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> labels;
  std::vector<std::vector<std::uint8_t>> planes;
};

Batches read_pass(ImageLoader& loader, std::int64_t batch) {
  Batches batches;
  loader.start(backwards(loader.size()), batch);
  while (loader.next_size() > 0) {
    batches.sizes.push_back(loader.next_size());
    loader.next([&](const ImageSample& sample) {
      batches.labels.push_back(sample.label);
      batches.planes.emplace_back(sample.planes.begin(), sample.planes.end());
    });
  }
  return batches;
}

std::int64_t threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

std::int64_t threads_of_this_test() {
  std::thread([] {}).join();  // with the first thread, the thread sanitizer starts one of its own
  return threads_alive();
}

/// Whether that many threads are left; a joined one may stand in /proc for a moment more.
bool threads_fall_to(std::int64_t count) {
  for (int tries = 0; tries < 1000 && threads_alive() > count; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return threads_alive() == count;
}

/// The error of opening `files` and of one pass, or "read".
std::string loader_error(const std::vector<ImageFile>& files, const LoaderOptions& options) {
  try {
    ImageLoader loader(files, options);
    read_pass(loader, 4);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(ImageLoader, GivesTheResizedPicturesInTheRequestedOrderCachedOrNot) {
  const TestFolder folder;
  const auto files = write_images(folder, 23);
  for (const std::int64_t cache : {plenty, std::int64_t(0)}) {
    ImageLoader loader(files, {.width = 16, .height = 8, .threads = 3, .cache_bytes = cache});
    EXPECT_EQ(loader.cached(), cache == plenty);
    for (int epoch = 0; epoch < 2; ++epoch) {
      const Batches batches = read_pass(loader, 10);
      EXPECT_THAT(batches.sizes, ElementsAre(10, 10, 3));
      EXPECT_EQ(batches.labels, backwards(23));
      for (std::size_t i = 0; i < batches.planes.size(); ++i) {
        const Image image = resize(read_image(files[22 - i].path), 16, 8);
        EXPECT_EQ(batches.planes[i][0], image.pixels[0]);
        EXPECT_EQ(batches.planes[i][16 * 8], image.pixels[1]);
        EXPECT_EQ(batches.planes[i].back(), image.pixels.back());
      }
    }
  }
}

TEST(ImageLoader, CachesExactlyWhenAllFits) {
  const TestFolder folder;
  const auto files = write_images(folder, 4);
  const std::int64_t needed = 4 * 3 * 8 * 8;
  EXPECT_TRUE(ImageLoader(files, {.width = 8, .height = 8, .cache_bytes = needed}).cached());
  EXPECT_FALSE(ImageLoader(files, {.width = 8, .height = 8, .cache_bytes = needed - 1}).cached());
}

TEST(ImageLoader, NeedsNoFileAndNoThreadOnceAllIsCached) {
  const TestFolder folder;
  const auto files = write_images(folder, 5);
  const std::int64_t threads_before = threads_of_this_test();
  ImageLoader loader(files, {.threads = 4, .cache_bytes = plenty});
  EXPECT_TRUE(threads_fall_to(threads_before));
  for (const ImageFile& file : files) {
    std::filesystem::remove(file.path);
  }
  EXPECT_EQ(read_pass(loader, 2).labels, backwards(5));
}

TEST(ImageLoader, NamesAndExcludesBadFilesAmongMany) {
  const TestFolder folder;
  auto files = write_images(folder, 6);
  folder.write("2.png", png_bytes(pattern(30, 30)).substr(0, 300));
  folder.write("4.png", "no image at all");
  ImageLoader loader(files, {.threads = 2, .cache_bytes = plenty});
  EXPECT_EQ(loader.size(), 4);
  EXPECT_THAT(read_pass(loader, 4).labels, ElementsAre(5, 3, 1, 0));
  EXPECT_THAT(loader.notes(),
              ElementsAre("4 images decoded once, 48K in memory",
                          "skipped " + files[2].path + ": damaged PNG: the file ends too early",
                          "skipped " + files[4].path + ": found neither PNG nor JPEG content"));
}

TEST(ImageLoader, ReplacesAFileThatTurnsOutDamagedInAnUncachedPass) {
  const TestFolder folder;
  auto files = write_images(folder, 6);
  folder.write("2.png", png_bytes(pattern(30, 30)).substr(0, 300));
  folder.write("4.png", "no image at all");
  ImageLoader loader(files, {.threads = 2});
  EXPECT_EQ(loader.size(), 5);  // 2.png looks like a PNG from its beginning
  EXPECT_THAT(read_pass(loader, 4).labels, ElementsAre(5, 3, 3, 1, 0));
  read_pass(loader, 4);
  const auto notes = loader.notes();
  EXPECT_EQ(notes.size(), 3U);  // named once
  EXPECT_THAT(notes.back(), HasSubstr("2.png: damaged PNG"));
}

TEST(ImageLoader, KeepsThePositionOfABadFileIfConfiguredCachedOrNot) {
  const TestFolder folder;
  auto files = write_images(folder, 6);
  folder.write("2.png", png_bytes(pattern(30, 30)).substr(0, 300));
  folder.write("4.png", "no image at all");
  for (const std::int64_t cache : {plenty, std::int64_t(0)}) {
    ImageLoader loader(files, {.threads = 2, .cache_bytes = cache, .keep_places = true});
    EXPECT_EQ(loader.cached(), cache == plenty);
    EXPECT_EQ(loader.size(), 6);
    EXPECT_EQ(loader.name(5), files[5].path);
    for (int pass = 0; pass < 2; ++pass) {
      const auto batches = read_pass(loader, 4);
      EXPECT_EQ(batches.labels, backwards(6));
      for (std::size_t i = 0; i < 6; ++i) {
        const auto number = 5 - i;
        EXPECT_EQ(batches.planes[i].empty(), number == 2 || number == 4) << number << ".png";
      }
    }
    EXPECT_EQ(loader.notes().size(), 3U) << "each named once";
  }
}

TEST(ImageLoader, RefusesABadFileIfConfigured) {
  const TestFolder folder;
  auto files = write_images(folder, 6);
  folder.write("2.png", png_bytes(pattern(30, 30)).substr(0, 300));
  const std::string expected = files[2].path + ": damaged PNG: the file ends too early";
  EXPECT_EQ(loader_error(files, {.cache_bytes = plenty, .refuse_bad_files = true}), expected);
  EXPECT_EQ(loader_error(files, {.refuse_bad_files = true}), expected);
}

TEST(ImageLoader, NoGoodFileIsOneClearLine) {
  const TestFolder folder;
  const std::vector<ImageFile> text{{folder.write("a.png", "x"), 0}, {folder.path("none.png"), 0}};
  const std::vector<ImageFile> cut{
      {folder.write("b.png", png_bytes(pattern(9, 9)).substr(0, 50)), 0}};
  for (const std::int64_t cache : {plenty, std::int64_t(0)}) {
    EXPECT_EQ(loader_error(text, {.cache_bytes = cache}),
              "none of 2 image files can be read; the first: " + text[0].path +
                  ": found neither PNG nor JPEG content");
    EXPECT_THAT(loader_error(cut, {.cache_bytes = cache}),
                HasSubstr("none of 1 image files can be read"));
  }
}

TEST(ImageLoader, CanBeDroppedOrRestartedInTheMiddleOfAPass) {
  const TestFolder folder;
  const auto files = write_images(folder, 40);
  const std::int64_t threads_before = threads_of_this_test();
  for (int round = 0; round < 20; ++round) {
    ImageLoader loader(files, {.threads = 4});
    loader.start(backwards(40), 8);
    for (int batch = 0; batch < round % 4; ++batch) {
      loader.next([](const ImageSample&) {});
    }
    if (round % 2 == 0) {
      EXPECT_EQ(read_pass(loader, 7).labels, backwards(40));
    }
  }
  EXPECT_TRUE(threads_fall_to(threads_before));
}

TEST(WorkerPool, PassesResultsAndExceptionsToTheFuture) {
  WorkerPool pool(2);
  auto good = pool.submit([] { return 7; });
  auto bad = pool.submit([]() -> int { throw Error("no"); });
  EXPECT_EQ(good.get(), 7);
  EXPECT_THROW(bad.get(), Error);
}

TEST(ParallelFor, VisitsEveryIndexOnceAndThrowsWhatItsBodyThrows) {
  std::vector<int> visits(1000, 0);
  parallel_for(visits.size(), 4, [&](std::size_t i) { ++visits[i]; });
  EXPECT_EQ(visits, std::vector<int>(1000, 1));
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
  EXPECT_THROW(parallel_for(100, 4, [](std::size_t i) { i == 50 ? throw Error("no") : void(); }),
               Error);
}

TEST(CacheBudget, IsAQuarterOfTheTightestLimit) {
  const TestFolder root;
  root.write("proc/meminfo", "MemTotal:  9000000 kB\nMemAvailable:  8000000 kB\n");
  EXPECT_EQ(cache_budget_bytes(root.path()), 8'000'000LL * 1024 / 4);
  root.write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  root.write("sys/fs/cgroup/slurm/job_7/memory.max", "4000000000\n");
  root.write("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  EXPECT_EQ(cache_budget_bytes(root.path()), 1'000'000'000);
  root.write("proc/self/cgroup", "5:cpu:/\n4:memory:/job\n");
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000000\n");
  EXPECT_EQ(cache_budget_bytes(root.path()), 500'000'000);
  setenv("SLURM_MEM_PER_NODE", "1000", 1);
  EXPECT_EQ(cache_budget_bytes(root.path()), 1000LL * 1024 * 1024 / 4);
  unsetenv("SLURM_MEM_PER_NODE");
}

}  // namespace
}  // namespace epochcast::image
