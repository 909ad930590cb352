// Fashion-MNIST (Xiao et al., 2017): 60,000 pictures of clothes to train on and 10,000 held out, 28
// x 28, 10 classes; as Debian's dataset-fashion-mnist installs it. MNIST in the same files works as
// well. Scaled to [0, 1] and no more, as the data-parallel study did.
#include <fmt/format.h>

#include "src/image/idx.hpp"
#include "src/torch/memory_dataset.hpp"
#include "src/torch/options.hpp"

namespace epochcast::datasets {
namespace {

constexpr std::int64_t fashion_classes = 10;
constexpr const char* debian_folder = "/usr/share/datasets/fashion-mnist";

torch::Tensor tensor_of(const IdxFile& file) {
  return torch::from_blob(const_cast<char*>(file.bytes.data()), file.sizes, torch::kByte)
      .clone();  // NOLINT
}

/// `part`: "train" or "t10k". The first `limit` samples, 0: all; the files are in no order of
/// classes.
Samples read_part(const std::string& folder, const std::string& part, std::int64_t limit) {
  const auto images = read_idx(folder, part + "-images-idx3-ubyte", 3);
  const auto labels = read_idx(folder, part + "-labels-idx1-ubyte", 1);
  const auto count = images.sizes[0];
  if (count != labels.sizes[0] || count == 0) {
    throw Error(fmt::format("{}: found {} images and {} labels of '{}', expected as many of both",
                            folder, count, labels.sizes[0], part));
  }
  const auto used = limit == 0 ? count : std::min(limit, count);
  const Samples samples{tensor_of(images).unsqueeze(1).slice(0, 0, used),
                        tensor_of(labels).to(torch::kLong).slice(0, 0, used)};
  if (const auto largest = samples.labels.max().item<std::int64_t>(); largest >= fashion_classes) {
    throw Error(fmt::format("{}: found the label {} among those of '{}', expected 0 to {}", folder,
                            largest, part, fashion_classes - 1));
  }
  return samples;
}

std::unique_ptr<Dataset> open_fashion_mnist(const DatasetContext& context) {
  const auto& folder = context.options.at("path");
  const auto limit = option<std::int64_t>(context.options, "limit");
  auto train = read_part(folder, "train", limit);
  check_shape(context, "fashion_mnist", train.inputs.sizes().slice(1).vec());
  check_classes(context, "fashion_mnist", fashion_classes);
  auto held_out = read_part(folder, "t10k", limit);
  return std::make_unique<MemoryDataset>(std::move(train),
                                         std::make_unique<MemoryDataset>(std::move(held_out)));
}

}  // namespace

DatasetSpec fashion_mnist() {
  return {
      .summary = "Fashion-MNIST: 60,000 pictures of clothes, 10,000 more held out",
      .options =
          {{"path", "text", debian_folder, "1",
            "Folder of the IDX files, gzip or plain (Debian: the package dataset-fashion-mnist)"},
           {"limit", "integer", "0", "images", "Use the first so many of each part (0: all)",
            ">=0"}},
      .open = open_fashion_mnist};
}

}  // namespace epochcast::datasets
