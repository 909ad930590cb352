#include "src/torch/workload.hpp"

#include <span>
#include <utility>

#include "src/core/registry.hpp"
#include "src/image/grid.hpp"
#include "src/image/png_write.hpp"
#include "src/torch/about.hpp"
#include "src/torch/checkpoint.hpp"
#include "src/torch/counting.hpp"
#include "src/torch/device.hpp"
#include "src/torch/random.hpp"

namespace epochcast {
namespace {

constexpr int picture_columns = 7;

Procedure procedure_of(const RunConfig& config) {
  return config.procedure == "lab" ? Procedure::lab : Procedure::fast;
}

/// What a checkpoint must agree on: all but where a run ends and where it computes.
Parameters identity_of(const RunConfig& config) {
  auto parameters = to_parameters(config);
  std::erase_if(parameters, [](const Parameter& parameter) {
    return parameter.name == "epochs" || parameter.name == "device" ||
           parameter.name == "max_iterations" || parameter.name == "max_time";
  });
  return parameters;
}

/// Counts of one training step. Every count is affine in the batch, so two tiny steps of a second network give
/// it; that one stands on the CPU, where all operators are the same and no GPU is warmed up before its time.
OperatorCount count_step(const ModelSpec& model, NetworkContext context, std::int64_t batch) {
  context.device = torch::kCPU;
  const auto network = model.make(context);
  const auto count = [&](std::int64_t samples) {
    auto shape = model.input;
    shape.insert(shape.begin(), samples);
    const Samples tiny{torch::zeros(shape), torch::zeros({samples}, torch::kLong)};
    return count_operators([&] { network->step(tiny); });
  };
  const auto two = count(2);
  const auto three = count(3);
  const double more = double(batch - 2);
  return {two.flops + more * (three.flops - two.flops), two.bytes + more * (three.bytes - two.bytes)};
}

class TorchWorkload : public Workload {
 public:
  TorchWorkload(const RunConfig& config, const RunOutput& output, int threads);

  Work describe() const override { return work_; }
  void start_epoch(std::int64_t epoch) override;
  Batch load_batch() override;
  void step() override;
  void infer() override {
    guarded([&] { network_->infer(batch_); });
  }
  void synchronize() override;
  std::vector<DeviceTime> take_device_times() override {
    return guarded([&] { return timer_.take(); });
  }
  Metrics losses() override;
  Metrics evaluate() override { return {}; }
  bool sample(const std::string& png_path) override;
  void save(const std::string& path) override;
  Place restore(const std::string& path) override;
  std::vector<std::string> notes() const override { return data_->notes(); }

 private:
  std::int64_t seed() const { return config_.seed + config_.repeat; }
  /// What a checkpoint holds; copying into these tensors restores it.
  NamedTensors tensors() const;

  RunConfig config_;
  const ModelSpec& model_;
  Procedure procedure_;
  torch::Device device_;
  std::unique_ptr<Dataset> data_;
  std::unique_ptr<Network> network_;
  StepTimer timer_;
  Work work_;
  Place place_;
  bool restored_ = false;  ///< The next start_epoch goes on where a checkpoint stood.
  Samples batch_;
  torch::Tensor loss_sums_;  ///< On the host where every step's losses are read (lab), else on the device.
  std::int64_t samples_ = 0;
};

TorchWorkload::TorchWorkload(const RunConfig& config, const RunOutput& output, int threads)
    : config_(completed(config)),
      model_(models::all().at(config_.model)),
      procedure_(procedure_of(config_)),
      device_(open_device(config_.device)),
      timer_(device_) {
  data_ = datasets::all().at(config_.dataset).open({.options = config_.dataset_options,
                                                    .input = model_.input,
                                                    .threads = threads,
                                                    .seed = seed(),
                                                    .refuse_bad_files = output.images_error == "refuse"});
  const NetworkContext context{config_.model_options, procedure_, device_};
  const auto count = count_step(model_, context, config_.batch);
  torch::manual_seed(std::uint64_t(seed()));
  network_ = model_.make(context);
  const auto losses = std::int64_t(network_->loss_names().size());
  loss_sums_ = torch::zeros({losses}, torch::device(procedure_ == Procedure::lab ? torch::kCPU : device_)
                                          .dtype(torch::kDouble));
  work_ = {.parameter_count = 0,
           .flops_per_sample = count.flops / double(config_.batch),
           .bytes_per_sample = count.bytes / double(config_.batch),
           .samples_per_epoch = data_->size(),
           .iterations_per_epoch = (data_->size() + config_.batch - 1) / config_.batch,
           .precision = precision_of(device_)};
  for (const auto& [name, parameter] : network_->parameters()) {
    work_.parameter_count += parameter.numel();
  }
}

void TorchWorkload::start_epoch(std::int64_t epoch) {
  const bool go_on = std::exchange(restored_, false) && place_.epoch == epoch && place_.iteration > 0;
  if (!go_on) {
    place_ = {epoch, 0};
    samples_ = 0;
    loss_sums_.zero_();
  }
  const auto permutation = torch::randperm(data_->size(), seeded("order", seed(), epoch), torch::kLong);
  const std::span all(permutation.const_data_ptr<std::int64_t>(), std::size_t(data_->size()));
  const auto rest = all.subspan(std::size_t(place_.iteration * config_.batch));
  data_->start({rest.begin(), rest.end()}, config_.batch);
}

Batch TorchWorkload::load_batch() {
  return guarded([&]() -> Batch {
    const auto host = data_->next();
    if (!host.inputs.defined()) {
      batch_ = {};
      return {};
    }
    batch_.inputs = to_device(host.inputs, device_, procedure_);
    batch_.labels = host.labels.defined() ? to_device(host.labels, device_, procedure_) : host.labels;
    const auto samples = host.inputs.size(0);
    return {.samples = samples, .work = work_.flops_per_sample * double(samples)};
  });
}

void TorchWorkload::step() {
  guarded([&] {
    timer_.start();
    const auto losses = network_->step(batch_);
    timer_.stop();
    for (std::size_t i = 0; i < losses.size(); ++i) {
      loss_sums_[std::int64_t(i)].add_(losses[i].to(loss_sums_.options()));
    }
  });
  samples_ += batch_.inputs.size(0);
  ++place_.iteration;
}

void TorchWorkload::synchronize() {
  if (device_.is_cuda()) {
    guarded([&] { torch::cuda::synchronize(device_.index()); });
  }
}

Metrics TorchWorkload::losses() {
  if (samples_ == 0) {
    return {};
  }
  const auto sums = guarded([&] { return loss_sums_.cpu(); });
  Metrics means;
  for (std::int64_t i = 0; const auto& name : network_->loss_names()) {
    means.emplace_back(name, sums[i++].item<double>() / double(samples_));
  }
  return means;
}

bool TorchWorkload::sample(const std::string& png_path) {
  const auto pictures = guarded([&] {
    const auto made = network_->sample(seeded("sample", seed(), place_.epoch));
    return made.defined() ? made.cpu().contiguous() : made;
  });
  if (!pictures.defined()) {
    return false;
  }
  std::vector<Image> tiles;
  for (const auto& picture : pictures.unbind()) {
    tiles.push_back(image_from_planes({picture.const_data_ptr<float>(), std::size_t(picture.numel())},
                                      int(picture.size(2)), int(picture.size(1))));
  }
  write_png(png_path, make_grid(tiles, picture_columns));
  return true;
}

NamedTensors TorchWorkload::tensors() const {
  auto all = network_->state();
  all.emplace_back("loss_sums", loss_sums_);
  return all;
}

void TorchWorkload::save(const std::string& path) {
  const bool epoch_done = place_.iteration == work_.iterations_per_epoch;
  guarded([&] {
    write_checkpoint(path, {.identity = identity_of(config_),
                            .place = epoch_done ? Place{place_.epoch + 1, 0} : place_,
                            .samples = samples_,
                            .random = random_state(device_),
                            .tensors = tensors()});
  });
}

Place TorchWorkload::restore(const std::string& path) {
  const auto saved = read_checkpoint(path);
  check_identity(path, saved.identity, identity_of(config_));
  guarded([&] {
    copy_tensors(path, saved.tensors, tensors());
    set_random_state(saved.random, device_);
  });
  place_ = saved.place;
  samples_ = saved.samples;
  restored_ = true;
  return place_;
}

}  // namespace

std::unique_ptr<Workload> make_workload(const RunConfig& config, const RunOutput& output, int threads) {
  set_threads(threads);
  if (procedure_of(config) == Procedure::fast) {
    keep_freed_memory();
  }
  return guarded([&] { return std::make_unique<TorchWorkload>(config, output, threads); });
}

}  // namespace epochcast
