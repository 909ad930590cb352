// Bytes nobody meant, for whatever reads files or texts of others: it gives a result or one clear
// line, and the sanitizers of the asan preset see no fault. Suites of such tests are named ...Fuzz,
// which is how env/test --long finds them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast::tests {

/// `usually`, or a million where the environment asks for campaigns at full count.
inline int fuzz_inputs(int usually) {
  return std::getenv("EPOCHCAST_LONG") != nullptr ? 1'000'000 : usually;
}

/// Damages files: the same damage in every run, by its seed.
class Damage {
 public:
  /// `pieces`: what means something in the format, or might.
  Damage(std::uint64_t seed, std::vector<std::string> pieces)
      : random_(seed), pieces_(std::move(pieces)) {}

  /// In [0, count).
  std::size_t below(std::size_t count) { return std::size_t(random_() % count); }

  /// `whole` with one to six places changed; of one in 16 no more than the beginning is left, and
  /// noise behind it.
  std::string of(const std::string& whole) {
    std::string bytes = whole;
    if (below(16) == 0) {
      bytes.resize(below(2) == 0 ? 0 : below(bytes.size() + 1));
      return bytes + noise(below(256));
    }
    for (auto left = 1 + below(6); left > 0; --left) {
      change(bytes, below(bytes.size() + 1));
    }
    return bytes;
  }

 private:
  std::string noise(std::size_t size) {
    std::string bytes(size, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return char(below(256)); });
    return bytes;
  }

  void change(std::string& bytes, std::size_t at) {
    const auto& piece = pieces_[below(pieces_.size())];
    switch (below(7)) {
      case 0:
        bytes.insert(at, piece);
        break;
      case 1:
        bytes.replace(at, piece.size(), piece);
        break;
      case 2:
        bytes.replace(at, 1, noise(1));
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size() + 1), 1 + below(64)));
        break;
      case 4:
        bytes.erase(at, 1 + below(16));
        break;
      case 5:
        bytes.resize(below(4) == 0 ? at : bytes.size());
        break;
      default:
        if (at < bytes.size()) {
          bytes[at] = char(bytes[at] ^ (1 << below(8)));
        }
        break;
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> pieces_;
};

/// Gives a file that is there these bytes. In place: of one that is emptied and written again, ext4
/// waits for the disk.
inline void rewrite(const std::string& path, const std::string& bytes) {
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  std::filesystem::resize_file(path, bytes.size());
}

/// Reads so many damaged inputs, each by a call of `read`, which returns or throws an Error of one
/// line that begins with `name`. Fails where either never happens: the damage would reach too
/// little.
template <class Read>
void fuzz(int inputs, const std::string& name, Read&& read) {
  int results = 0;
  int refusals = 0;
  for (; inputs > 0 && !::testing::Test::HasFailure(); --inputs) {
    try {
      read();
      ++results;
    } catch (const Error& error) {
      const std::string line = error.what();
      EXPECT_TRUE(line.starts_with(name)) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      ++refusals;
    }
  }
  EXPECT_GT(results, 0);
  EXPECT_GT(refusals, 0);
}

}  // namespace epochcast::tests
