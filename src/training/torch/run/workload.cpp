#include "src/training/torch/run/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/core/registry.hpp"
#include "src/training/image/png_write.hpp"
#include "src/training/loop/updates.hpp"
#include "src/training/torch/base/deterministic.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/random.hpp"
#include "src/training/torch/base/sums.hpp"
#include "src/training/torch/kernels/choice.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/parallel/rank_group.hpp"
#include "src/training/torch/profile/counting.hpp"
#include "src/training/torch/profile/kineto.hpp"
#include "src/training/torch/run/checkpoint.hpp"
#include "src/training/torch/run/evaluation.hpp"
#include "src/training/torch/run/inference.hpp"
#include "src/training/torch/run/open_data.hpp"
#include "src/training/torch/run/rank_data.hpp"
#include "src/training/torch/run/step_graphs.hpp"

namespace epochcast::libtorch {
namespace {

constexpr int picture_columns = 7;

/// Whether the fastest kernel is chosen by measurement.
bool measures_kernels(const run::RunConfig& config) {
  return config.kernels == "measured" && !config.deterministic &&
         procedure_of(config) == Procedure::optimized;
}

class Training final : public train::Workload,
                       private train::Evaluator,
                       private train::CheckpointStore,
                       private train::Sampler {
 public:
  Training(const run::RunConfig& config, const run::RunOutput& output, int threads,
           RankGroup* group);

  record::Work describe() const override { return work_; }
  train::WorkloadParts parts() override {
    return {.evaluator = evaluation_.is_possible() ? this : nullptr,
            .checkpoints = this,
            .sampler = classes_ == 0 ? this : nullptr};
  }
  void start_epoch(std::int64_t epoch) override;
  train::Batch load_batch() override;
  void step() override;
  void synchronize() override;
  std::vector<train::DeviceTime> take_device_times() override {
    return guarded([&] { return timer_.take(); });
  }
  double take_gradient_sync_wait_s() override { return replicas_.take_gradient_sync_wait_s(); }
  std::int64_t peak_device_memory_bytes() const override { return peak_.bytes(); }
  std::int64_t peak_device_memory_of_trials_bytes() const override {
    return peak_.of_trials_bytes();
  }
  train::Metrics losses() override {
    return guarded([&] { return losses_->means(); });
  }
  std::vector<record::KernelChoice> take_kernel_choices() override {
    return epochcast::libtorch::take_kernel_choices();
  }
  double take_kernel_choice_s() override { return epochcast::libtorch::take_kernel_choice_s(); }
  std::vector<std::string> notes() const override;

 private:
  train::Metrics evaluate() override {
    const bool after_epoch = position_.iteration % work_.iterations_per_epoch == 0;
    // What the steps have measured is used all the same.
    at::globalContext().setBenchmarkCuDNN(false);
    return guarded(
        [&] { return evaluation_.run(*network_, data_, team_, classes_, device_, after_epoch); });
  }
  bool reached_target() const override { return evaluation_.reached_target(); }
  bool is_best() const override { return evaluation_.is_best(); }
  void save_weights(const std::string& path) override {
    guarded([&] { epochcast::libtorch::save_weights(path, network_->weights()); });
  }
  void sample(const std::string& png_path) override;
  void save(const std::string& path) override;
  train::Position restore(const std::string& path) override;

  std::int64_t seed() const { return config_.seed + config_.repeat; }
  void make_network();
  void set_learning_rate();
  /// What a checkpoint holds; copying into these tensors restores it.
  NamedTensors tensors() const;
  /// The gradients accumulated so far, if the position is within an update.
  NamedTensors accumulated_gradients() const {
    return updates_.role(position_).first ? NamedTensors{} : gradients_of(network_->parameters());
  }
  void restore_of_other_rank_count(const Checkpoint& saved);

  run::RunConfig config_;
  const ModelSpec& model_;
  Procedure procedure_;
  torch::Device device_;
  train::TeamOfOne single_process_;
  train::Team& team_;
  Replicas& replicas_;
  RankData data_;
  std::int64_t classes_;
  Evaluation evaluation_;
  train::UpdatePlan updates_;
  double epoch_factor_ = 1;  ///< Factor on the learning rate in this epoch.
  std::unique_ptr<Network> network_;
  std::optional<Sums> losses_;
  StepTimer timer_;
  StepGraphs graphs_;
  PeakMemory peak_;
  record::Work work_;
  std::string resume_note_;
  std::vector<std::string> weight_notes_;
  train::Position position_;
  bool restored_ = false;  ///< The next start_epoch() continues at the position of a checkpoint.
  Samples batch_;
};

Training::Training(const run::RunConfig& config, const run::RunOutput& output, int threads,
                   RankGroup* group)
    : config_(resolve_defaults(config)),
      model_(models::all().at(config_.model)),
      procedure_(procedure_of(config_)),
      device_(open_device(config_.device)),
      team_(group == nullptr ? static_cast<train::Team&>(single_process_) : *group),
      replicas_(group == nullptr ? alone() : *group),
      data_({.config = config_,
             .model = model_,
             .dataset = datasets::all().at(config_.dataset),
             .seed = seed(),
             .threads = threads,
             .refuse_bad_files = output.on_bad_image == "refuse",
             .device = device_,
             .procedure = procedure_},
            team_),
      classes_(model_.input(config_.model_options).classes),
      evaluation_(config_, classes_ > 0 && data_.has_held_out()),
      updates_(config_, data_.iterations()),
      timer_(device_),
      // The host decides whether an update of fp16 is skipped.
      graphs_(StepGraphs::are_for(
          config_, group != nullptr || config_.accumulate > 1 || config_.precision == "fp16")),
      peak_(device_, measures_kernels(config_)) {
  make_network();
}

void Training::make_network() {
  const NetworkContext context{.options = config_.model_options,
                               .procedure = procedure_,
                               .device = device_,
                               .optimizer = {config_.optimizer, config_.optimizer_options},
                               .clip_norm = config_.clip_norm,
                               .precision = precision_named(config_.precision),
                               .replicas = &replicas_};
  const auto count = count_step(model_, context, config_.batch);
  const ProfiledRange start(start_range);
  torch::manual_seed(std::uint64_t(seed()));
  network_ = model_.make(context);
  weight_notes_ = load_initial_weights(*network_, config_);
  if (team_.size() > 1) {
    seed_rank(seed(), team_.rank());
  }
  losses_.emplace(network_->loss_names(), device_);
  work_ = work_of(*network_, count, config_.batch, arithmetic_of(context.precision, device_));
  work_.samples_per_epoch = data_.samples() * team_.size();
  work_.iterations_per_epoch = data_.iterations();
}

void Training::start_epoch(std::int64_t epoch) {
  const bool continues =
      std::exchange(restored_, false) && position_.epoch == epoch && position_.iteration > 0;
  if (!continues) {
    position_ = {epoch, 0};
    losses_->clear();
  }
  epoch_factor_ = train::warmup_factor(config_, epoch, replicas_.size_on_node());
  data_.start(epoch, position_.iteration);
  graphs_.start_epoch();
}

train::Batch Training::load_batch() {
  return guarded([&]() -> train::Batch {
    const ProfiledRange start(start_range);
    batch_ = data_.next();
    return batch_of(batch_, work_);
  });
}

/// A skipped update does not change the learning rate, as in transformers' Trainer.
void Training::set_learning_rate() {
  const auto update = updates_.before(position_) - network_->skipped_updates();
  for (auto* optimizer : network_->optimizers()) {
    optimizer->scale_learning_rate(epoch_factor_ * updates_.learning_rate_factor(update));
  }
}

void Training::step() {
  guarded([&] {
    const auto samples = batch_.inputs.size(0);
    batch_.noise = network_->draw_noise(samples);
    // cuDNN measures once for each shape: not worth it for the smaller batch at the end of an
    // epoch.
    at::globalContext().setBenchmarkCuDNN(measures_kernels(config_) && samples == config_.batch);
    timer_.start();
    set_learning_rate();
    graphs_.run(batch_, [&](const Samples& batch) {
      losses_->add(network_->step(batch, updates_.role(position_)));
      return torch::Tensor();
    });
    timer_.stop(replicas_.take_exchange_spans());
    losses_->count(samples);
    peak_.count_step();
  });
  ++position_.iteration;
}

void Training::synchronize() {
  if (device_.is_cuda()) {
    guarded([&] { torch::cuda::synchronize(device_.index()); });
  }
}

void Training::sample(const std::string& png_path) {
  const auto pictures = guarded([&] {
    return network_->sample(seeded("sample", seed(), position_.epoch)).cpu().contiguous();
  });
  std::vector<image::Image> tiles;
  for (const auto& picture : pictures.unbind()) {
    tiles.push_back(
        image::image_from_planes({picture.const_data_ptr<float>(), std::size_t(picture.numel())},
                                 int(picture.size(2)), int(picture.size(1))));
  }
  image::write_png(png_path, image::make_grid(tiles, picture_columns));
}

std::vector<std::string> Training::notes() const {
  auto notes = data_.notes();
  if (!resume_note_.empty()) {
    notes.push_back(resume_note_);
  }
  notes.insert(notes.end(), weight_notes_.begin(), weight_notes_.end());
  const auto of_evaluation = evaluation_.notes();
  notes.insert(notes.end(), of_evaluation.begin(), of_evaluation.end());
  for (const auto& note : {kernel_choice_note(), deterministic_note(), graphs_.note(),
                           precision_note(precision_named(config_.precision), device_)}) {
    if (!note.empty()) {
      notes.push_back(note);
    }
  }
  return notes;
}

NamedTensors Training::tensors() const {
  auto all = network_->state();
  all.emplace_back("loss_sums", losses_->tensor());
  return all;
}

/// The completed samples of the epoch stay completed, to within a batch; losses start over.
void Training::restore_of_other_rank_count(const Checkpoint& saved) {
  const auto ranks = std::ssize(saved.other_ranks) + 1;
  losses_->clear();
  position_.iteration = saved.position.iteration * ranks / team_.size();
  position_.iteration -=
      position_.iteration % config_.accumulate;  // accumulated gradients are lost
  resume_note_ = fmt::format(
      "resumes with {} rank{} from a checkpoint of {}: batches and random numbers differ from "
      "those "
      "of the earlier run",
      team_.size(), team_.size() == 1 ? "" : "s", ranks);
}

void Training::save(const std::string& path) {
  const bool epoch_done = position_.iteration == work_.iterations_per_epoch;
  guarded([&] {
    const auto gradients = accumulated_gradients();
    auto ranks = team_.gather(
        team_.size() > 1 ? pack_rank_state(device_, *losses_, network_->parameters(), gradients)
                         : "");
    if (!team_.is_first()) {
      return;
    }
    check_same_parameters(ranks);
    ranks.erase(ranks.begin());  // that of rank 0 is in the other fields of the checkpoint
    auto all = tensors();
    all.insert(all.end(), gradients.begin(), gradients.end());
    write_checkpoint(path,
                     {.identity = identity_of(config_),
                      .position = epoch_done ? train::Position{position_.epoch + 1, 0} : position_,
                      .samples = losses_->samples(),
                      .remembered = evaluation_.memory(),
                      .random = random_state(device_),
                      .tensors = std::move(all),
                      .other_ranks = std::move(ranks)});
  });
}

train::Position Training::restore(const std::string& path) {
  const auto saved = read_checkpoint(path);
  check_identity(path, saved.identity, identity_of(config_));
  position_ = saved.position;
  evaluation_.set_memory(saved.remembered);
  guarded([&] {
    copy_tensors(path, saved.tensors, tensors());
    losses_->set_samples(saved.samples);
    if (std::ssize(saved.other_ranks) + 1 != team_.size()) {
      restore_of_other_rank_count(saved);
    } else if (team_.is_first()) {
      copy_tensors(path, saved.tensors, accumulated_gradients());
      set_random_state(saved.random, device_);
    } else {
      restore_rank_state(path, saved.other_ranks[std::size_t(team_.rank() - 1)], device_, *losses_,
                         accumulated_gradients());
    }
  });
  restored_ = true;
  return position_;
}

}  // namespace

std::unique_ptr<train::Workload> make_workload(const run::RunConfig& config,
                                               const run::RunOutput& output, int threads,
                                               train::Team* team) {
  auto* group = dynamic_cast<RankGroup*>(team);
  set_threads(threads);
  if (procedure_of(config) == Procedure::optimized) {
    keep_freed_memory();
  }
  use_deterministic_kernels(config.deterministic, config.device);
  use_default_kernels();  // while operators are counted: their number must not depend on the
                          // machine
  auto workload = guarded([&]() -> std::unique_ptr<train::Workload> {
    if (config.task == run::Task::infer) {
      return make_inference(config, output, threads, group);
    }
    return std::make_unique<Training>(config, output, threads, group);
  });
  at::globalContext().setBenchmarkCuDNN(measures_kernels(config));
  if (const auto folder = kernel_folder();
      folder && config.device == "cpu" && measures_kernels(config)) {
    measure_kernels(*folder, threads);
  }
  return workload;
}

}  // namespace epochcast::libtorch
