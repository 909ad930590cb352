#include "src/training/torch/run/network_predictor.hpp"

#include <numeric>
#include <utility>

#include "src/training/image/decode.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/data/image_dataset.hpp"
#include "src/training/torch/data/text_dataset.hpp"

namespace epochcast::libtorch {
namespace {

/// Beyond, a larger batch is no faster, and the memory for activations grows with it.
constexpr std::int64_t most_tokens_of_pass_on_cpu = 512;
constexpr std::int64_t most_tokens_of_pass_on_gpu = 4096;
/// Passes of more tokens return their memory: in blocks of other sizes, the next would not fit into
/// it and would need its own. For a smaller one the time to do so would count.
constexpr std::int64_t tokens_of_small_pass = 128;
constexpr std::int64_t most_pictures_of_pass = 64;
/// 120 MB decoded: a file of some kilobytes can claim that much for each thread that decodes.
constexpr std::int64_t most_pixels_of_picture = 40'000'000;
/// Resized, before it is cropped. A narrow picture of some bytes becomes a large one.
constexpr std::int64_t most_pixels_resized = 4'000'000;

class TextInput final : public serve::Input {
 public:
  explicit TextInput(text::TokenIds ids) : ids_(std::move(ids)) {}
  std::int64_t length() const override { return std::ssize(ids_); }
  const text::TokenIds& ids() const { return ids_; }

 private:
  text::TokenIds ids_;
};

class PictureInput final : public serve::Input {
 public:
  explicit PictureInput(std::vector<std::uint8_t> planes) : planes_(std::move(planes)) {}
  std::int64_t length() const override { return 1; }
  std::span<const std::uint8_t> planes() const { return planes_; }

 private:
  std::vector<std::uint8_t> planes_;
};

/// Every input was made by prepare() of the same predictor.
template <class OwnInput>
const OwnInput& own(std::span<const serve::Input* const> inputs, std::int64_t index) {
  return dynamic_cast<const OwnInput&>(*inputs[std::size_t(index)]);
}

class TextPredictor final : public NetworkPredictor {
 public:
  TextPredictor(AnsweringNetwork answering, std::unique_ptr<text::Tokenizer> tokenizer)
      : NetworkPredictor(std::move(answering)), tokenizer_(std::move(tokenizer)) {}

  serve::Kind kind() const override { return serve::Kind::text; }

  std::unique_ptr<serve::Input> prepare(std::string_view bytes) const override {
    return std::make_unique<TextInput>(
        tokenizer_->encode(bytes, std::size_t(answering().input.shape.at(0))));
  }

 private:
  std::vector<std::vector<std::int64_t>> parts_of(
      std::span<const serve::Input* const> inputs) const override {
    std::vector<std::int64_t> lengths;
    for (const auto* input : inputs) {
      lengths.push_back(input->length());
    }
    return text::parts_of_similar_length(lengths, answering().device.is_cpu()
                                                      ? most_tokens_of_pass_on_cpu
                                                      : most_tokens_of_pass_on_gpu);
  }

  Samples samples_of(std::span<const serve::Input* const> inputs,
                     const std::vector<std::int64_t>& part) const override {
    std::vector<text::TokenIds> ids;
    for (const auto index : part) {
      ids.push_back(own<TextInput>(inputs, index).ids());
    }
    std::vector<std::int64_t> all(ids.size());
    std::iota(all.begin(), all.end(), 0);
    return samples_of_tokens(text::pad_tokens(ids, all, tokenizer_->padding()));
  }

  std::unique_ptr<text::Tokenizer> tokenizer_;
};

class PicturePredictor final : public NetworkPredictor {
 public:
  explicit PicturePredictor(AnsweringNetwork answering)
      : NetworkPredictor(std::move(answering)),
        normalizer_(NetworkPredictor::answering().input.pictures) {}

  serve::Kind kind() const override { return serve::Kind::picture; }

  std::unique_ptr<serve::Input> prepare(std::string_view bytes) const override {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());  // NOLINT: bytes
    const auto decoded =
        image::decode_image({first, bytes.size()}, "picture", most_pixels_of_picture);
    const auto picture =
        image::fitted(decoded, answering().input.pictures, width(), height(), most_pixels_resized);
    std::vector<std::uint8_t> planes(picture.pixels.size());
    image::split_planes(picture, planes.data());
    return std::make_unique<PictureInput>(std::move(planes));
  }

 private:
  int height() const { return int(answering().input.shape.at(1)); }
  int width() const { return int(answering().input.shape.at(2)); }

  std::vector<std::vector<std::int64_t>> parts_of(
      std::span<const serve::Input* const> inputs) const override {
    std::vector<std::vector<std::int64_t>> parts;
    for (std::int64_t index = 0; index < std::ssize(inputs); ++index) {
      if (index % most_pictures_of_pass == 0) {
        parts.emplace_back();
      }
      parts.back().push_back(index);
    }
    return parts;
  }

  Samples samples_of(std::span<const serve::Input* const> inputs,
                     const std::vector<std::int64_t>& part) const override {
    auto batch = blank_samples(answering().input, std::ssize(part));
    auto* to = batch.inputs.data_ptr<float>();
    for (const auto index : part) {
      const auto planes = own<PictureInput>(inputs, index).planes();
      normalizer_.normalize(planes, to);
      to += planes.size();
    }
    return batch;
  }

  PlaneNormalizer normalizer_;
};

}  // namespace

std::vector<serve::Scores> NetworkPredictor::predict(std::span<const serve::Input* const> inputs) {
  return guarded([&] {
    std::vector<serve::Scores> answers(inputs.size());
    for (const auto& part : parts_of(inputs)) {
      std::int64_t tokens = 0;
      const auto scores = probabilities(samples_of(inputs, part));
      const auto* row = scores.const_data_ptr<float>();
      for (const auto index : part) {
        answers[std::size_t(index)].assign(row, row + scores.size(1));
        row += scores.size(1);
        tokens += inputs[std::size_t(index)]->length();
      }
      // Never for pictures, which are all of one size: each counts as one.
      if (answering_.device.is_cpu() && tokens > tokens_of_small_pass) {
        return_freed_memory();
      }
    }
    return answers;
  });
}

torch::Tensor NetworkPredictor::probabilities(Samples samples) const {
  at::init_num_threads();  // OpenMP keeps the number for each thread that calls it
  const c10::InferenceMode no_gradients;
  for (auto* tensor : {&samples.inputs, &samples.mask}) {
    if (tensor->defined()) {
      *tensor = to_device(*tensor, answering_.device, answering_.procedure);
    }
  }
  samples.labels = torch::Tensor();
  auto scores = torch::softmax(answering_.network->infer(samples), 1).cpu().contiguous();
  if (!scores.isfinite().all().item<bool>()) {
    throw RunError("the network's output is not finite; its weights may have diverged");
  }
  return scores;
}

std::unique_ptr<NetworkPredictor> make_text_predictor(AnsweringNetwork answering,
                                                      std::unique_ptr<text::Tokenizer> tokenizer) {
  return std::make_unique<TextPredictor>(std::move(answering), std::move(tokenizer));
}

std::unique_ptr<NetworkPredictor> make_picture_predictor(AnsweringNetwork answering) {
  return std::make_unique<PicturePredictor>(std::move(answering));
}

}  // namespace epochcast::libtorch
