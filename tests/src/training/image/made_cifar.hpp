// CIFAR-10 in its binary form, made here: files of the full size, all zeros but for their first
// pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/files.hpp"

namespace epochcast::image::test {

struct MadeCifar {
  static constexpr std::uintmax_t file_bytes = 30'730'000;

  TemporaryFolder folder;
  std::string files;

  /// Of the first picture of data_batch_1.bin, whose label is 9.
  static std::uint8_t value(int channel, int y, int x) {
    return std::uint8_t(50 * channel + 3 * y + 5 * x);
  }

  explicit MadeCifar(const std::string& below = "") : files(folder.path() + below) {
    std::filesystem::create_directories(files);
    for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                             "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"}) {
      set_bytes(files + "/" + name, "");
      std::filesystem::resize_file(files + "/" + name, file_bytes);
    }
    set_bytes(files + "/batches.meta.txt",
              "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
    set_byte("data_batch_1.bin", 0, 9);
    set_byte("data_batch_2.bin", 0, 2);
    for (int i = 0; i < 3 * 32 * 32; ++i) {
      set_byte("data_batch_1.bin", 1 + i, value(i / 1024, i / 32 % 32, i % 32));
    }
  }

  void set_byte(const std::string& file, std::streamoff at, int value) const {
    std::fstream stream(files + "/" + file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(at);
    stream.put(char(value));
  }
};

}  // namespace epochcast::image::test
