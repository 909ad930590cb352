#include "src/training/image/resize.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace epochcast::image {
namespace {

/// As in PIL: 8 bits for the pixel, 2 for sums of weights beyond 1, the rest of 32 for the weight.
constexpr int weight_bits = 32 - 8 - 2;

struct Kernel {
  double support;
  double (*at)(double);
};

double triangle(double x) {
  return std::max(0.0, 1.0 - std::abs(x));
}

double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) {
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  }
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0.0;
}

Kernel kernel_of(ResizeFilter filter) {
  return filter == ResizeFilter::bilinear ? Kernel{1.0, triangle} : Kernel{2.0, cubic};
}

/// The range of input pixels of one output pixel, and the index of their first weight in
/// Weights::values.
struct Window {
  int first = 0;
  int count = 0;
  std::size_t weights = 0;
};

/// The weights that resize one axis from `from` to `to` pixels.
struct Weights {
  std::vector<Window> windows;  ///< One per output pixel.
  std::vector<int> values;      ///< In units of 2^-weight_bits.
};

/// Rounds halves away from zero, as PIL does.
int fixed_point(double weight) {
  return int(std::lround(weight * (1 << weight_bits)));
}

Weights make_weights(int from, int to, ResizeFilter filter) {
  const Kernel kernel = kernel_of(filter);
  const double scale = double(from) / to;
  const double stretch = std::max(scale, 1.0);
  const double support = kernel.support * stretch;
  Weights result;
  std::vector<double> weights;
  for (int out = 0; out < to; ++out) {
    const double center = (out + 0.5) * scale;
    // NOLINTBEGIN(bugprone-incorrect-roundings): as Pillow rounds
    const int first = std::max(0, int(center - support + 0.5));
    const int last = std::min(from, int(center + support + 0.5));
    // NOLINTEND(bugprone-incorrect-roundings)
    weights.clear();
    double sum = 0;
    for (int in = first; in < last; ++in) {
      weights.push_back(kernel.at((in - center + 0.5) * (1.0 / stretch)));
      sum += weights.back();
    }
    result.windows.push_back({first, last - first, result.values.size()});
    for (const double weight : weights) {
      result.values.push_back(fixed_point(sum == 0 ? weight : weight / sum));
    }
  }
  return result;
}

/// Returns the weights from a cache: a data set has few sizes, and computing the weights costs as
/// much as one use of them.
std::shared_ptr<const Weights> filter_weights(int from, int to, ResizeFilter filter) {
  constexpr std::size_t max_entries = 256;
  static std::mutex mutex;
  static std::map<std::tuple<int, int, ResizeFilter>, std::shared_ptr<const Weights>> cache;
  const std::tuple key{from, to, filter};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = cache.find(key); found != cache.end()) {
      return found->second;
    }
  }
  auto made = std::make_shared<const Weights>(make_weights(from, to, filter));
  const std::lock_guard lock(mutex);
  if (cache.size() >= max_entries) {
    cache.clear();
  }
  cache[key] = made;
  return made;
}

constexpr int half = 1 << (weight_bits - 1);

std::uint8_t to_pixel(int sum) {
  return std::uint8_t(std::clamp(sum >> weight_bits, 0, 255));
}

/// Computes one row of `windows.size()` pixels from a row of the input.
void resize_row(const std::uint8_t* from, std::uint8_t* to, const Weights& weights) {
  for (const Window& window : weights.windows) {
    const std::uint8_t* pixel = from + std::size_t(window.first) * Image::channels;
    const int* weight = weights.values.data() + window.weights;
    int red = half;
    int green = half;
    int blue = half;
    for (int i = 0; i < window.count; ++i, pixel += Image::channels) {
      red += pixel[0] * weight[i];
      green += pixel[1] * weight[i];
      blue += pixel[2] * weight[i];
    }
    *to++ = to_pixel(red);
    *to++ = to_pixel(green);
    *to++ = to_pixel(blue);
  }
}

Image resize_width(Image image, int width, ResizeFilter filter) {
  if (image.width == width) {
    return image;
  }
  const auto weights = filter_weights(image.width, width, filter);
  Image result{width, image.height};
  for (int y = 0; y < image.height; ++y) {
    resize_row(image.row(y), result.row(y), *weights);
  }
  return result;
}

Image resize_height(Image image, int height, ResizeFilter filter) {
  if (image.height == height) {
    return image;
  }
  const auto weights = filter_weights(image.height, height, filter);
  Image result{image.width, height};
  std::vector<int> sums(image.row_bytes());
  for (int y = 0; y < height; ++y) {
    const Window& window = weights->windows[std::size_t(y)];
    std::fill(sums.begin(), sums.end(), half);
    for (int i = 0; i < window.count; ++i) {
      const std::uint8_t* row = image.row(window.first + i);
      const int weight = weights->values[window.weights + std::size_t(i)];
      std::transform(sums.begin(), sums.end(), row, sums.begin(),
                     [weight](int sum, std::uint8_t pixel) { return sum + pixel * weight; });
    }
    std::transform(sums.begin(), sums.end(), result.row(y), to_pixel);
  }
  return result;
}

}  // namespace

Image resize(const Image& image, int width, int height, ResizeFilter filter) {
  assert(width > 0 && height > 0);
  // Each pass rounds to 8 bits, so their order affects the last bit. This is the rule of Pillow 13;
  // older versions always begin with the width.
  const int fewer_rows = image.height - height;
  const int fewer_columns = image.width - width;
  if (fewer_rows > 0 && fewer_rows > 2 * fewer_columns) {
    return resize_width(resize_height(image, height, filter), width, filter);
  }
  return resize_height(resize_width(image, width, filter), height, filter);
}

}  // namespace epochcast::image
