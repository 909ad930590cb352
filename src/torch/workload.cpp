#include "src/torch/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "src/core/registry.hpp"
#include "src/image/grid.hpp"
#include "src/image/png_write.hpp"
#include "src/torch/about.hpp"
#include "src/torch/checkpoint.hpp"
#include "src/torch/device.hpp"
#include "src/torch/random.hpp"
#include "src/torch/schedule.hpp"
#include "src/torch/step_count.hpp"
#include "src/torch/sums.hpp"

namespace epochcast {
namespace {

constexpr int picture_columns = 7;

Procedure procedure_of(const RunConfig& config) {
  return config.procedure == "lab" ? Procedure::lab : Procedure::fast;
}

/// What a checkpoint must agree on: all but where a run ends and where it computes.
Parameters identity_of(const RunConfig& config) {
  constexpr std::array<std::string_view, 6> others{"epochs",   "device",          "max_iterations",
                                                   "max_time", "target_accuracy", "patience"};
  auto parameters = to_parameters(config);
  std::erase_if(parameters, [&](const Parameter& parameter) {
    return std::find(others.begin(), others.end(), parameter.name) != others.end();
  });
  return parameters;
}

std::vector<std::int64_t> first_indices(std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
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
  Metrics losses() override {
    return guarded([&] { return losses_->means(); });
  }
  Metrics evaluate() override;
  bool reached_target() const override {
    return config_.target_accuracy > 0 && epochs_on_target_ >= config_.patience;
  }
  bool sample(const std::string& png_path) override;
  void save(const std::string& path) override;
  Place restore(const std::string& path) override;
  std::vector<std::string> notes() const override { return data_->notes(); }

 private:
  std::int64_t seed() const { return config_.seed + config_.repeat; }
  void open_data(const RunOutput& output, int threads);
  void make_network();
  std::vector<std::int64_t> order_of(std::int64_t epoch) const;
  Samples next_of(Dataset& data) const;
  void note_target(const Metrics& scores);
  /// What a checkpoint holds; copying into these tensors restores it.
  NamedTensors tensors() const;

  RunConfig config_;
  const ModelSpec& model_;
  const DatasetSpec& dataset_;
  Procedure procedure_;
  torch::Device device_;
  Replicas& replicas_ = alone();
  std::unique_ptr<Dataset> data_;
  std::unique_ptr<Network> network_;
  std::optional<Sums> losses_;
  StepTimer timer_;
  Work work_;
  Place place_;
  bool restored_ = false;  ///< The next start_epoch goes on where a checkpoint stood.
  Samples batch_;
  std::int64_t epochs_on_target_ = 0;  ///< In a row, up to the last one evaluated.
};

TorchWorkload::TorchWorkload(const RunConfig& config, const RunOutput& output, int threads)
    : config_(completed(config)),
      model_(models::all().at(config_.model)),
      dataset_(datasets::all().at(config_.dataset)),
      procedure_(procedure_of(config_)),
      device_(open_device(config_.device)),
      timer_(device_) {
  open_data(output, threads);
  make_network();
  if (config_.target_accuracy > 0 &&
      (data_->held_out() == nullptr || network_->score_names().empty())) {
    throw Error(fmt::format("target_accuracy: {} on {} has no held-out samples to reach it on",
                            config_.model, config_.dataset));
  }
}

void TorchWorkload::open_data(const RunOutput& output, int threads) {
  data_ = dataset_.open({.options = config_.dataset_options,
                         .input = model_.input(config_.model_options),
                         .classes = model_.classes,
                         .threads = threads,
                         .seed = seed(),
                         .refuse_bad_files = output.images_error == "refuse"});
  work_.samples_per_epoch = samples_of_pass(config_, data_->size());
  work_.iterations_per_epoch = (work_.samples_per_epoch + config_.batch - 1) / config_.batch;
  if (work_.samples_per_epoch == 0) {
    throw Error(fmt::format(
        "batch: found {}, expected at most the data set's {} samples, since last_batch is drop",
        config_.batch, data_->size()));
  }
}

void TorchWorkload::make_network() {
  const NetworkContext context{.options = config_.model_options,
                               .procedure = procedure_,
                               .device = device_,
                               .optimizer = {config_.optimizer, config_.optimizer_options},
                               .replicas = &replicas_};
  const auto count = count_step(model_, context, config_.batch);
  torch::manual_seed(std::uint64_t(seed()));
  network_ = model_.make(context);
  losses_.emplace(network_->loss_names(), device_);
  work_.flops_per_sample = count.flops / double(config_.batch);
  work_.bytes_per_sample = count.bytes / double(config_.batch);
  work_.precision = precision_of(device_);
  for (const auto& [name, parameter] : network_->parameters()) {
    work_.parameter_count += parameter.numel();
  }
}

void TorchWorkload::start_epoch(std::int64_t epoch) {
  const bool go_on =
      std::exchange(restored_, false) && place_.epoch == epoch && place_.iteration > 0;
  if (!go_on) {
    place_ = {epoch, 0};
    losses_->clear();
  }
  for (auto* optimizer : network_->optimizers()) {
    optimizer->scale_learning_rate(warmup_factor(config_, epoch, replicas_.size_on_node()));
  }
  auto order = order_of(epoch);
  order.erase(order.begin(), order.begin() + place_.iteration * config_.batch);
  data_->start(std::move(order), config_.batch);
}

std::vector<std::int64_t> TorchWorkload::order_of(std::int64_t epoch) const {
  auto order = first_indices(data_->size());
  if (dataset_.shuffled) {
    const auto permutation =
        torch::randperm(data_->size(), seeded("order", seed(), epoch), torch::kLong);
    std::copy_n(permutation.const_data_ptr<std::int64_t>(), order.size(), order.begin());
  }
  order.resize(static_cast<std::size_t>(work_.samples_per_epoch));
  return order;
}

Batch TorchWorkload::load_batch() {
  return guarded([&]() -> Batch {
    batch_ = next_of(*data_);
    const auto samples = batch_.inputs.defined() ? batch_.inputs.size(0) : 0;
    return {.samples = samples, .work = work_.flops_per_sample * double(samples)};
  });
}

Samples TorchWorkload::next_of(Dataset& data) const {
  auto batch = data.next();
  for (auto* tensor : {&batch.inputs, &batch.labels}) {
    if (tensor->defined()) {
      *tensor = to_device(*tensor, device_, procedure_);
    }
  }
  return batch;
}

void TorchWorkload::step() {
  guarded([&] {
    timer_.start();
    const auto losses = network_->step(batch_);
    timer_.stop();
    losses_->add(losses, batch_.inputs.size(0));
  });
  ++place_.iteration;
}

void TorchWorkload::synchronize() {
  if (device_.is_cuda()) {
    guarded([&] { torch::cuda::synchronize(device_.index()); });
  }
}

Metrics TorchWorkload::evaluate() {
  auto* held_out = data_->held_out();
  const auto names = network_->score_names();
  if (held_out == nullptr || names.empty()) {
    return {};
  }
  return guarded([&] {
    Sums sums(names, device_);
    held_out->start(first_indices(samples_of_pass(config_, held_out->size())), config_.batch);
    for (auto batch = next_of(*held_out); batch.inputs.defined(); batch = next_of(*held_out)) {
      sums.add(network_->score(batch), batch.inputs.size(0));
    }
    const auto scores = sums.means();
    note_target(scores);
    return scores;
  });
}

void TorchWorkload::note_target(const Metrics& scores) {
  const bool on_target = metric(scores, "val_accuracy") >= config_.target_accuracy;
  epochs_on_target_ = on_target ? epochs_on_target_ + 1 : 0;
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
    tiles.push_back(
        image_from_planes({picture.const_data_ptr<float>(), std::size_t(picture.numel())},
                          int(picture.size(2)), int(picture.size(1))));
  }
  write_png(png_path, make_grid(tiles, picture_columns));
  return true;
}

NamedTensors TorchWorkload::tensors() const {
  auto all = network_->state();
  all.emplace_back("loss_sums", losses_->tensor());
  return all;
}

void TorchWorkload::save(const std::string& path) {
  const bool epoch_done = place_.iteration == work_.iterations_per_epoch;
  guarded([&] {
    write_checkpoint(path, {.identity = identity_of(config_),
                            .place = epoch_done ? Place{place_.epoch + 1, 0} : place_,
                            .samples = losses_->samples(),
                            .epochs_on_target = epochs_on_target_,
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
  losses_->set_samples(saved.samples);
  place_ = saved.place;
  epochs_on_target_ = saved.epochs_on_target;
  restored_ = true;
  return place_;
}

}  // namespace

std::unique_ptr<Workload> make_workload(const RunConfig& config, const RunOutput& output,
                                        int threads) {
  set_threads(threads);
  if (procedure_of(config) == Procedure::fast) {
    keep_freed_memory();
  }
  return guarded([&] { return std::make_unique<TorchWorkload>(config, output, threads); });
}

}  // namespace epochcast
