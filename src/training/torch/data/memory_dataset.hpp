// A data set that is entirely in memory.
#pragma once

#include <memory>

#include "src/training/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// Delivers parts of `all`. Inputs stored as bytes become float32 from 0 to 1, batch by batch.
/// Token samples, which are padded to one length and have a mask, are cut to the longest sample of
/// the batch.
class MemoryDataset : public Dataset {
 public:
  explicit MemoryDataset(Samples all, std::unique_ptr<Dataset> held_out = nullptr)
      : all_(std::move(all)), held_out_(std::move(held_out)) {}

  std::int64_t size() const override { return all_.inputs.size(0); }
  void start(std::vector<std::int64_t> order, std::int64_t batch) override;
  Samples next() override;
  Dataset* held_out() override { return held_out_.get(); }

 private:
  Samples all_;
  std::unique_ptr<Dataset> held_out_;
  torch::Tensor order_ = torch::empty({0}, torch::kLong);
  std::int64_t first_ = 0;
  bool in_sequence_ = false;  ///< Consecutive indices from `first_` on: batches are views.
  std::int64_t batch_ = 1;
  std::int64_t next_ = 0;
};

}  // namespace epochcast::libtorch
