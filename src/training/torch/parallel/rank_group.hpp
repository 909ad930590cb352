// The connected ranks of a run, on LibTorch's c10d with Gloo between CPUs and NCCL between GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/training/loop/team.hpp"
#include "src/training/ranks/heartbeat.hpp"
#include "src/training/torch/base/replicas.hpp"
#include "src/training/torch/parallel/guard.hpp"
#include "src/training/torch/parallel/guarded_group.hpp"

namespace epochcast::libtorch {

/// All ranks call agree() once per step. Every exchange delays the gradients a little, so with
/// short steps they exchange requests twenty times a second or every twentieth step, whichever is
/// more often. The result is read at the next exchange, so no rank waits for it.
class Agreement {
 public:
  Agreement(c10::intrusive_ptr<c10d::ProcessGroup> group, Guard guard)
      : group_(std::move(group)), guard_(std::move(guard)) {}

  /// At calls with an exchange, the largest request (from 0) of any rank at the previous exchange;
  /// at other calls 0. The same on all ranks.
  std::int64_t agree(std::int64_t wish);

 private:
  std::int64_t answer();
  void ask(std::int64_t wish);

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  Guard guard_;
  SteadyClock clock_;
  std::int64_t stride_ = 1;      ///< Calls from one question to the next.
  std::int64_t calls_left_ = 1;  ///< Until the next question.
  std::vector<torch::Tensor> question_;
  Future answer_;
  double asked_at_s_ = 0;
};

struct RankGroupOptions {
  attempt::RankPlace place;
  ranks::Member me;
  torch::Device device = torch::kCPU;
  std::string secret;       ///< Of the run: ranks::RunSecret.
  double rendezvous_s = 0;  ///< How long the ranks wait for each other.
  ranks::StopRequest stop = [] { return 0; };
};

/// Its destructor destroys c10d's group and store, which waits for pending collectives: after a
/// loss end the process instead (see run_attempt).
class RankGroup final : public train::Team, public Replicas {
 public:
  /// Returns on all ranks once all are connected. Throws as join_run().
  explicit RankGroup(const RankGroupOptions& options);
  ~RankGroup() override;

  std::int64_t rank() const override { return options_.place.rank; }
  std::int64_t size() const override { return options_.place.size; }
  std::int64_t size_on_node() const override;

  std::int64_t agree(std::int64_t request) override { return agreement_->agree(request); }
  std::vector<double> sum(const std::vector<double>& values) override;
  std::vector<std::string> gather(const std::string& bytes) override;
  std::string broadcast(const std::string& text) override;
  double to_first_clock_s() const override { return to_first_clock_s_; }
  std::vector<record::Probe> probe() override;
  ranks::Failure fail(const ranks::Failure& failure) override;
  bool must_report() override;
  void leave() override;

  std::unique_ptr<Replica> join(torch::nn::Module& network) override;
  void all_reduce(torch::Tensor& values) override;
  double take_gradient_sync_wait_s() override { return on_device_->exchange_time().take_s(); }
  std::vector<DeviceSpan> take_exchange_spans() override {
    return on_device_->exchange_spans().take();
  }

 private:
  void connect(const std::string& address, const c10::intrusive_ptr<c10d::Store>& store);
  void break_off(const std::string& loss);
  void compare_clocks();
  std::int64_t nodes() const;
  double all_reduce_s(torch::Tensor& message);

  RankGroupOptions options_;
  Guard guard_;
  std::unique_ptr<ranks::Heartbeat> heartbeat_;
  c10::intrusive_ptr<c10d::ProcessGroup> on_host_;  ///< Messages other than gradients.
  c10::intrusive_ptr<GuardedGroup> on_device_;      ///< Gradients, parameters, buffers.
  std::unique_ptr<Agreement> agreement_;
  double to_first_clock_s_ = 0;
};

}  // namespace epochcast::libtorch
