#include "src/torch/inference.hpp"

#include "src/core/registry.hpp"
#include "src/torch/about.hpp"
#include "src/torch/confusion.hpp"
#include "src/torch/device.hpp"
#include "src/torch/open_data.hpp"
#include "src/torch/step_count.hpp"
#include "src/torch/take_weights.hpp"

namespace epochcast {
namespace {

class Inference : public Workload {
 public:
  Inference(const RunConfig& config, const RunOutput& output, int threads);

  Work describe() const override { return work_; }
  void start_epoch(std::int64_t /*epoch*/) override;
  Batch load_batch() override;
  void step() override;
  void synchronize() override {}  // an answer is on the host
  std::vector<DeviceTime> take_device_times() override {
    return guarded([&] { return timer_.take(); });
  }
  Metrics losses() override { return confusion_.scores(); }
  Metrics evaluate() override { return {}; }
  bool sample(const std::string& /*png_path*/) override { return false; }
  bool keeps_state() const override { return false; }
  void save(const std::string& /*path*/) override {}
  Place restore(const std::string& path) override {
    throw Error(path + ": is a checkpoint of a training; inference begins anew");
  }
  std::vector<std::string> notes() const override {
    auto notes = data_->notes();
    notes.insert(notes.end(), weight_notes_.begin(), weight_notes_.end());
    return notes;
  }

 private:
  Dataset& asked() const { return data_->held_out() == nullptr ? *data_ : *data_->held_out(); }
  void make_network();

  RunConfig config_;
  const ModelSpec& model_;
  DataOptions options_;
  std::unique_ptr<Dataset> data_;
  std::unique_ptr<Network> network_;
  std::int64_t classes_;
  Confusion confusion_;
  StepTimer timer_;
  Work work_;
  std::vector<std::string> weight_notes_;
  Samples batch_;
};

Inference::Inference(const RunConfig& config, const RunOutput& output, int threads)
    : config_(completed(config)),
      model_(models::all().at(config_.model)),
      options_({.config = config_,
                .model = model_,
                .dataset = datasets::all().at(config_.dataset),
                .seed = config_.seed + config_.repeat,
                .threads = threads,
                .refuse_bad_files = output.images_error == "refuse",
                .device = open_device(config_.device),
                .procedure = procedure_of(config_)}),
      data_(open_data(options_)),
      classes_(model_.input(config_.model_options).classes),
      confusion_(classes_),
      timer_(options_.device) {
  make_network();
}

void Inference::make_network() {
  const NetworkContext context{.options = config_.model_options,
                               .procedure = options_.procedure,
                               .device = options_.device,
                               .optimizer = {config_.optimizer, config_.optimizer_options},
                               .precision = precision_named(config_.precision)};
  const auto count = count_inference(model_, context, config_.batch);
  torch::manual_seed(std::uint64_t(options_.seed));
  network_ = model_.make(context);
  weight_notes_ = take_weights(*network_, config_);
  work_ = work_of(*network_, count, config_.batch,
                  arithmetic_of(context.precision, options_.device));
  work_.samples_per_epoch = asked().size();
  work_.iterations_per_epoch = (work_.samples_per_epoch + config_.batch - 1) / config_.batch;
}

void Inference::start_epoch(std::int64_t /*epoch*/) {
  confusion_.clear();
  asked().start(asked().arranged(first_indices(asked().size()), config_.batch), config_.batch);
}

Batch Inference::load_batch() {
  return guarded([&]() -> Batch {
    batch_ = next_on_device(asked(), options_);
    return batch_of(batch_, work_);
  });
}

/// To the host, as for somebody who waits for the answer. Of a network that makes pictures these
/// are the answer, and where nobody knows better, nothing can be scored.
void Inference::step() {
  guarded([&] {
    timer_.start();
    const auto answers = network_->infer(batch_);
    timer_.stop();
    if (classes_ == 0 || !batch_.labels.defined()) {
      answers.cpu();
    } else {
      confusion_.add(answers.argmax(1).cpu(), batch_.labels.cpu());
    }
  });
}

}  // namespace

std::unique_ptr<Workload> make_inference(const RunConfig& config, const RunOutput& output,
                                         int threads, const RankGroup* group) {
  if (group != nullptr) {
    throw Error(
        "task: found infer on several ranks, which only train so far; expected one task an "
        "allocation");
  }
  if (config.target_accuracy > 0) {
    throw Error("target_accuracy: found one although task is infer, which does not train");
  }
  return std::make_unique<Inference>(config, output, threads);
}

}  // namespace epochcast
