#include "src/training/torch/run/rank_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/training/loop/updates.hpp"
#include "src/training/ranks/shard.hpp"
#include "src/training/torch/base/random.hpp"

namespace epochcast::libtorch {
namespace {

ranks::Rest rest_rule(const run::RunConfig& config) {
  return config.last_samples == "drop" ? ranks::Rest::dropped : ranks::Rest::padded;
}

}  // namespace

void check_same_size(train::Team& team, std::int64_t samples) {
  std::vector<double> sizes(static_cast<std::size_t>(team.size()));
  sizes[static_cast<std::size_t>(team.rank())] = static_cast<double>(samples);
  sizes = team.sum(sizes);
  const auto other = std::ranges::find_if(sizes, [&](double size) { return size != sizes[0]; });
  if (other != sizes.end()) {
    throw Error(fmt::format(
        "dataset: rank {} found {} samples, rank 0 {}; expected the same data on all nodes",
        other - sizes.begin(), *other, sizes[0]));
  }
}

RankData::RankData(const DataOptions& options, train::Team& team)
    : options_(options),
      team_(team),
      data_(open_data(options)),
      batches_(*data_, options),
      samples_(train::samples_of_training(options.config, shard_size_of(*data_))) {
  check_same_size(team_, data_->size());
  check_same_size(team_, data_->held_out() == nullptr ? 0 : data_->held_out()->size());
  check_batch();
  if (auto* held_out = data_->held_out()) {
    held_out_.emplace(*held_out, options);
  }
}

std::vector<std::string> RankData::notes() const {
  batches_.wait();
  return data_->notes();
}

void RankData::check_batch() const {
  const auto& config = options_.config;
  const auto shard = shard_size_of(*data_);
  if (team_.size() > 1 && config.batch > shard) {
    throw Error(fmt::format(
        "batch: found {}, expected at most the {} samples of a rank ({} samples, {} ranks)",
        config.batch, shard, data_->size(), team_.size()));
  }
  if (samples_ == 0 && train::samples_of_pass(config, shard) > 0) {
    throw Error(
        fmt::format("accumulate: found {}, expected at most the {} batches of a pass, since "
                    "last_update is drop",
                    config.accumulate, (shard + config.batch - 1) / config.batch));
  }
  if (samples_ == 0) {
    throw Error(fmt::format(
        "batch: found {}, expected at most the data set's {} samples, since last_batch is drop",
        config.batch, data_->size()));
  }
}

std::int64_t RankData::shard_size_of(const Dataset& data) const {
  return ranks::shard_size(data.size(), team_.size(), rest_rule(options_.config));
}

std::vector<std::int64_t> RankData::shard_of_this(const std::vector<std::int64_t>& order) const {
  return ranks::shard_of(order, team_.rank(), team_.size(), rest_rule(options_.config));
}

std::int64_t RankData::iterations() const {
  return (samples_ + options_.config.batch - 1) / options_.config.batch;
}

void RankData::start(std::int64_t epoch, std::int64_t done) {
  const auto count = data_->size();
  const auto order = options_.dataset.shuffled ? shuffled_order(count, options_.seed, epoch)
                                               : first_indices(count);
  auto shard = shard_of_this(order);
  shard.resize(static_cast<std::size_t>(samples_));
  shard = data_->arranged(std::move(shard), options_.config.batch);
  shard.erase(shard.begin(), shard.begin() + done * options_.config.batch);
  batches_.start(std::move(shard), options_.config.batch);
}

std::int64_t RankData::largest_held_out_part() const {
  const auto& held_out = *data_->held_out();
  return options_.procedure == Procedure::reference
             ? shard_size_of(held_out)
             : ranks::shard_size(held_out.size(), team_.size(), ranks::Rest::padded);
}

std::vector<std::int64_t> RankData::held_out_part() const {
  const auto all = first_indices(data_->held_out()->size());
  return options_.procedure == Procedure::reference
             ? shard_of_this(all)
             : ranks::part_of(all, team_.rank(), team_.size());
}

bool RankData::has_held_out() const {
  return data_->held_out() != nullptr &&
         train::samples_of_pass(options_.config, largest_held_out_part()) > 0;
}

void RankData::start_held_out() {
  const auto& held_out = *data_->held_out();
  auto part = held_out_part();
  part.resize(static_cast<std::size_t>(train::samples_of_pass(options_.config, std::ssize(part))));
  part = held_out.arranged(std::move(part), options_.config.batch);
  held_out_->start(std::move(part), options_.config.batch);
}

}  // namespace epochcast::libtorch
