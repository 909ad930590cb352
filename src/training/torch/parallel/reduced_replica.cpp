#include "src/training/torch/parallel/reduced_replica.hpp"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

namespace epochcast::libtorch {
namespace {

using Tensors = std::vector<torch::Tensor>;
using Buckets = std::vector<std::vector<std::size_t>>;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// The arguments that LibTorch 2.7 has too; 2.11 adds (skip_all_reduce_unused_params,
/// use_python_reducer, bucket_bytes_cap_list).
template <class Reducer>
std::unique_ptr<Reducer> new_reducer(const Tensors& parameters, const Buckets& buckets,
                                     const Group& group) {
  const std::vector<bool> sparse(parameters.size(), false);
  const std::int64_t cap = c10d::kDefaultBucketBytesCap;
  const std::int64_t first_cap = c10d::kDefaultFirstBucketBytes;
  const std::unordered_map<std::size_t, std::string> names;
  constexpr bool find_unused = false;
  constexpr bool as_bucket_view = false;
  if constexpr (std::is_constructible_v<Reducer, Tensors, Buckets, Group, std::vector<bool>,
                                        std::int64_t, bool, bool, decltype(names), std::int64_t,
                                        bool, bool, std::vector<std::int64_t>>) {
    return std::make_unique<Reducer>(parameters, buckets, group, sparse, cap, find_unused,
                                     as_bucket_view, names, first_cap, false, false,
                                     std::vector<std::int64_t>{});
  } else {
    return std::make_unique<Reducer>(parameters, buckets, group, sparse, cap, find_unused,
                                     as_bucket_view, names, first_cap);
  }
}

/// By size in the order of the parameters, then reversed: gradients arise from the last layer on.
/// The Reducer makes them anew after the first step, in the order that it saw.
Buckets first_buckets(const Tensors& parameters) {
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(
      parameters,
      {std::size_t(c10d::kDefaultFirstBucketBytes), std::size_t(c10d::kDefaultBucketBytesCap)},
      std::vector<bool>(parameters.size(), false)));
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

Tensors trained(const torch::nn::Module& network) {
  auto parameters = network.parameters();
  std::erase_if(parameters,
                [](const torch::Tensor& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

}  // namespace

ReducedReplica::ReducedReplica(torch::nn::Module& network, c10::intrusive_ptr<GuardedGroup> group)
    : group_(std::move(group)), buffers_(network.buffers()) {
  take_from_first(network.parameters());
  take_from_first(buffers_);
  const auto parameters = trained(network);
  reducer_ = new_reducer<c10d::Reducer>(parameters, first_buckets(parameters), group_);
}

/// One message a type, which costs less than one a tensor.
void ReducedReplica::take_from_first(const Tensors& tensors) {
  const torch::NoGradGuard no_grad;
  std::map<torch::ScalarType, Tensors> by_type;
  for (const auto& tensor : tensors) {
    by_type[tensor.scalar_type()].push_back(tensor);
  }
  for (auto& [type, same] : by_type) {
    Tensors flat;
    for (const auto& tensor : same) {
      flat.push_back(tensor.reshape({-1}));
    }
    Tensors message{torch::cat(flat)};
    group_->finish(group_->broadcast(message), message.front());
    std::int64_t begin = 0;
    for (auto& tensor : same) {
      tensor.copy_(message.front().narrow(0, begin, tensor.numel()).view(tensor.sizes()));
      begin += tensor.numel();
    }
  }
}

void ReducedReplica::before_forward() {
  take_from_first(buffers_);
  reducer_->prepare_for_forward();
  reducer_->rebuild_buckets();
}

void ReducedReplica::before_backward() {
  group_->exchange_time().backward_begins();
  group_->exchange_spans().backward_begins();
  // It looks at a pass's outputs only to find parameters that the pass does not reach.
  reducer_->prepare_for_backward({});
}

}  // namespace epochcast::libtorch
