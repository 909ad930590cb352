// How fast output passes the recognition of progress: bench_progress. Prints, for output of several
// kinds in pieces of 64 KiB, the megabytes a second of CPU time with
// recognition, and those of a copy of the same bytes.
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "src/measure/progress/recognizer/recognizer.hpp"

namespace {

using namespace epochcast;

constexpr std::size_t total = 1'000'000'000;
constexpr std::size_t piece = 65536;

std::string text_of(const std::string& kind) {
  std::mt19937_64 random(7);
  std::string text;
  for (int line = 0; text.size() < 16'000'000; ++line) {
    if (kind == "bytes") {
      text += char(random() & 0xff);
    } else if (kind == "base64") {
      for (int i = 0; i < 76; ++i) {
        text += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random() % 64];
      }
      text += '\n';
    } else if (kind == "one line") {
      text += "a line without an end ";
    } else if (kind == "log") {
      text += fmt::format(
          "2026-11-24 22:01:09,123 INFO data: loaded shard {} of 1000, batch took {} ms\n",
          line % 1000, random() % 100);
      if (line % 1000 == 0) {
        text += fmt::format("Epoch {}/100000 loss {}\n", line / 1000 + 1, 1.0 / (line + 1));
      }
    } else {  // every line is one of progress
      text += fmt::format("\r {:2}%|████      | {}/100 [00:01<00:02, 9.95it/s, loss=0.5]",
                          line % 100, line % 100);
    }
  }
  return text;
}

template <class Action>
double rate_mb_per_cpu_s(const std::string& text, Action&& action) {
  const auto start = std::clock();
  std::size_t done = 0;
  for (std::size_t at = 0; done < total; at = at + piece < text.size() ? at + piece : 0) {
    const auto part = std::string_view(text).substr(at, piece);
    action(part);
    done += part.size();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return static_cast<double>(done) / seconds / 1e6;
}

}  // namespace

int main() {
  for (const char* kind : {"log", "base64", "bytes", "one line", "progress only"}) {
    const auto text = text_of(kind);
    progress::Recognizer recognizer({});
    double at_s = 0;
    const double with = rate_mb_per_cpu_s(text, [&](std::string_view bytes) {
      recognizer.read(progress::Stream::out, bytes, at_s += 0.001);
      recognizer.take();
    });
    std::vector<char> copy(piece);
    const double without = rate_mb_per_cpu_s(text, [&](std::string_view bytes) {
      std::memcpy(copy.data(), bytes.data(), bytes.size());
    });
    fmt::print("{:14} recognition {:7.0f} MB/CPU-s   copy {:7.0f} MB/CPU-s   source {}\n", kind,
               with, without, recognizer.source());
  }
}
