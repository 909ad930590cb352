#include "src/training/torch/run/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "src/base/core/registry.hpp"
#include "src/training/loop/answers.hpp"
#include "src/training/ranks/shard.hpp"
#include "src/training/torch/base/deterministic.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/kernels/choice.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/network/confusion.hpp"
#include "src/training/torch/parallel/rank_group.hpp"
#include "src/training/torch/profile/counting.hpp"
#include "src/training/torch/profile/kineto.hpp"
#include "src/training/torch/run/open_data.hpp"
#include "src/training/torch/run/rank_data.hpp"
#include "src/training/torch/run/step_graphs.hpp"

namespace epochcast::libtorch {
namespace {

/// What must be equal for answers to belong to one run: all except the batch size, the length and
/// the device.
run::Parameters identity_of_answers(const run::RunConfig& config) {
  auto others = run::names_of_roles(
      {run::ParameterRole::length, run::ParameterRole::place, run::ParameterRole::observation});
  others.insert("batch");
  auto parameters = run::to_parameters(config);
  std::erase_if(parameters, [&](const run::Parameter& own) { return others.contains(own.name); });
  return parameters;
}

std::string packed_items(const std::vector<std::int64_t>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(std::int64_t)};
}

std::vector<std::int64_t> items_in(const std::string& bytes) {
  std::vector<std::int64_t> items(bytes.size() / sizeof(std::int64_t));
  std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

/// Every rank answers its part of the items in the first pass and logs the answers. Later passes
/// only measure: they answer all items again.
class Inference final : public train::Workload, private train::AnswerLog {
 public:
  Inference(const run::RunConfig& config, const run::RunOutput& output, int threads,
            RankGroup* group);

  record::Work describe() const override { return work_; }
  void start_epoch(std::int64_t epoch) override;
  train::Batch load_batch() override;
  void step() override;
  void synchronize() override;
  std::vector<train::DeviceTime> take_device_times() override {
    return guarded([&] { return timer_.take(); });
  }
  std::int64_t peak_device_memory_bytes() const override {
    return epochcast::libtorch::peak_device_memory_bytes(options_.device);
  }
  train::Metrics losses() override;
  std::vector<record::KernelChoice> take_kernel_choices() override {
    return epochcast::libtorch::take_kernel_choices();
  }
  double take_kernel_choice_s() override { return epochcast::libtorch::take_kernel_choice_s(); }
  std::vector<std::string> notes() const override;
  /// A network that makes pictures has no answers to log.
  train::WorkloadParts parts() override { return {.answers = classes_ > 0 ? this : nullptr}; }

 private:
  train::Resumed open(const std::filesystem::path& folder, const std::string& attempt,
                      bool resume) override;
  void merge() override;

  /// The items to answer.
  Dataset& items() const { return data_->held_out() == nullptr ? *data_ : *data_->held_out(); }
  void make_network();
  std::vector<std::int64_t> own_part(const std::vector<std::int64_t>& items) const {
    return ranks::part_of(items, team_.rank(), team_.size());
  }
  /// Steps that the slowest rank needs for this number of items.
  std::int64_t steps_for(std::int64_t items) const {
    return (ranks::shard_size(items, team_.size(), ranks::Rest::padded) + config_.batch - 1) /
           config_.batch;
  }
  void take_answers(const torch::Tensor& logits);
  void score(const std::vector<train::Answer>& answers);

  run::RunConfig config_;
  const ModelSpec& model_;
  train::TeamOfOne single_process_;
  train::Team& team_;
  DataOptions options_;
  std::unique_ptr<Dataset> data_;
  DeviceBatches batches_;
  std::unique_ptr<Network> network_;
  std::int64_t classes_;
  Confusion confusion_;
  StepTimer timer_;
  StepGraphs graphs_;
  record::Work work_;
  std::vector<std::string> weight_notes_;
  Samples batch_;
  bool is_summed_ = false;           ///< The confusion is that of all ranks.
  bool logs_ = true;                 ///< The answers of this pass are logged.
  std::vector<std::int64_t> left_;   ///< Items of the first pass, for this rank.
  std::vector<std::int64_t> items_;  ///< Items of this pass, for this rank, in their order.
  std::size_t answered_ = 0;         ///< Number of `items_` that are answered.
  std::int64_t without_class_ = 0;   ///< Answers of all ranks and attempts, after merge().
  std::filesystem::path folder_;
  std::vector<train::Answer> earlier_;  ///< Of earlier attempts, on rank 0.
  std::optional<train::AnswerFile> file_;
};

Inference::Inference(const run::RunConfig& config, const run::RunOutput& output, int threads,
                     RankGroup* group)
    : config_(resolve_defaults(config)),
      model_(models::all().at(config_.model)),
      team_(group == nullptr ? static_cast<train::Team&>(single_process_) : *group),
      options_({.config = config_,
                .model = model_,
                .dataset = datasets::all().at(config_.dataset),
                .seed = config_.seed + config_.repeat,
                .threads = threads,
                .refuse_bad_files = output.on_bad_image == "refuse",
                .device = open_device(config_.device),
                .procedure = procedure_of(config_)}),
      data_(open_data(options_)),
      batches_(items(), options_),
      classes_(model_.input(config_.model_options).classes),
      confusion_(classes_),
      timer_(options_.device),
      graphs_(StepGraphs::are_for(config_, group != nullptr)) {
  check_same_size(team_, items().size());
  make_network();
  left_ = own_part(first_indices(items().size()));
}

void Inference::make_network() {
  const NetworkContext context{.options = config_.model_options,
                               .procedure = options_.procedure,
                               .device = options_.device,
                               .precision = precision_named(config_.precision)};
  const auto count = count_inference(model_, context, config_.batch);
  const ProfiledRange start(start_range);
  torch::manual_seed(std::uint64_t(options_.seed));
  network_ = model_.make(context);
  weight_notes_ = load_initial_weights(*network_, config_);
  work_ =
      work_of(*network_, count, config_.batch, arithmetic_of(context.precision, options_.device));
  network_->prepare_for_inference();
  work_.samples_per_epoch = items().size();
  work_.iterations_per_epoch = steps_for(work_.samples_per_epoch);
}

train::Resumed Inference::open(const std::filesystem::path& folder, const std::string& attempt,
                               bool resume) {
  folder_ = folder;
  train::Answered earlier;
  if (team_.is_first() && resume) {
    earlier = train::read_answers(folder, identity_of_answers(config_));
  } else if (team_.is_first()) {
    train::remove_answers(folder);
  }
  earlier_ = std::move(earlier.answers);
  const auto left = items_in(
      team_.broadcast(team_.is_first() ? packed_items(train::unanswered(earlier_, items().size()))
                                       : std::string()));
  left_ = own_part(left);
  file_.emplace(folder, attempt, team_.rank(), identity_of_answers(config_));
  const auto steps = steps_for(std::ssize(left));
  return {earlier.record, steps == 0 ? train::Position{1, 0}
                                     : train::Position{0, work_.iterations_per_epoch - steps}};
}

void Inference::start_epoch(std::int64_t epoch) {
  confusion_.clear();
  graphs_.start_epoch();
  is_summed_ = false;
  logs_ = epoch == 0;
  if (logs_) {
    score(earlier_);  // the scores include the answers of earlier attempts
  }
  items_ = items().arranged(logs_ ? left_ : own_part(first_indices(items().size())), config_.batch);
  answered_ = 0;
  batches_.start(items_, config_.batch);
}

/// Counts the answers whose label is known.
void Inference::score(const std::vector<train::Answer>& answers) {
  std::vector<std::int64_t> chosen;
  std::vector<std::int64_t> labels;
  for (const auto& answer : answers) {
    if (answer.label >= 0) {
      chosen.push_back(answer.answer < 0 ? classes_ : answer.answer);
      labels.push_back(answer.label);
    }
  }
  if (!chosen.empty()) {
    confusion_.add(torch::tensor(chosen, torch::kLong), torch::tensor(labels, torch::kLong));
  }
}

train::Batch Inference::load_batch() {
  return guarded([&]() -> train::Batch {
    const ProfiledRange start(start_range);
    batch_ = batches_.next();
    return batch_of(batch_, work_);
  });
}

/// Copies the output to the host, as for a user who waits for the answer.
void Inference::step() {
  guarded([&] {
    timer_.start();
    const auto answers =
        graphs_.run(batch_, [&](const Samples& batch) { return network_->infer(batch); });
    timer_.stop();
    const auto on_host = answers.cpu();
    if (classes_ > 0) {
      take_answers(on_host.to(torch::kFloat).contiguous());
    }
  });
}

void Inference::take_answers(const torch::Tensor& logits) {
  const auto classes = static_cast<std::size_t>(logits.size(1));
  const auto& labels = batch_.labels;  // on the host
  std::vector<train::Answer> answers;
  for (std::int64_t row = 0; row < logits.size(0); ++row) {
    const auto item = items_[answered_++];
    if (std::ranges::binary_search(batch_.unreadable, row)) {
      continue;  // the network has not seen it
    }
    const auto* first = logits.const_data_ptr<float>() + row * logits.size(1);
    auto& answer = answers.emplace_back(train::answer_of(item, {first, classes}));
    answer.label = labels.defined() ? labels.const_data_ptr<std::int64_t>()[row] : -1;
  }
  score(answers);
  if (logs_ && file_) {
    file_->add(answers);
  }
}

/// After a step its answers are on the host, but perhaps not in the file.
void Inference::synchronize() {
  if (file_) {
    file_->flush();
  }
}

train::Metrics Inference::losses() {
  if (!std::exchange(is_summed_, true)) {
    confusion_.all_reduce(team_);
  }
  return confusion_.scores();
}

void Inference::merge() {
  file_->sync();
  const auto of_ranks = team_.sum({static_cast<double>(file_->count())}).front();
  if (!team_.is_first()) {
    return;
  }
  const auto all = train::read_answers(folder_, identity_of_answers(config_)).answers;
  const auto expected = earlier_.size() + static_cast<std::size_t>(of_ranks);
  if (all.size() != expected) {
    throw RunError(
        fmt::format("{}: found {} answers in the files of all ranks, expected {}; the folder must "
                    "be shared by all nodes",
                    folder_.string(), all.size(), expected));
  }
  without_class_ =
      std::ranges::count_if(all, [](const train::Answer& answer) { return answer.answer < 0; });
  train::write_answers(folder_, all, [this](std::int64_t item) { return items().origin(item); });
}

std::vector<std::string> Inference::notes() const {
  batches_.wait();
  auto notes = data_->notes();
  notes.insert(notes.end(), weight_notes_.begin(), weight_notes_.end());
  if (without_class_ > 0) {
    notes.push_back(fmt::format(
        "the network's output for {} of {} items was not finite: their answers are empty",
        without_class_, work_.samples_per_epoch));
  }
  if (!earlier_.empty()) {
    notes.push_back(fmt::format("{} of {} items were answered by earlier attempts", earlier_.size(),
                                work_.samples_per_epoch));
  }
  for (const auto& note : {deterministic_note(), graphs_.note(),
                           precision_note(precision_named(config_.precision), options_.device)}) {
    if (!note.empty()) {
      notes.push_back(note);
    }
  }
  return notes;
}

}  // namespace

std::unique_ptr<train::Workload> make_inference(const run::RunConfig& config,
                                                const run::RunOutput& output, int threads,
                                                RankGroup* group) {
  if (config.target_accuracy > 0) {
    throw Error("target_accuracy: not allowed for task infer, which does not train");
  }
  return std::make_unique<Inference>(config, output, threads, group);
}

}  // namespace epochcast::libtorch
