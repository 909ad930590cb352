#include "src/training/torch/parallel/rank_group.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/parallel/backends.hpp"
#include "src/training/torch/parallel/reduced_replica.hpp"

namespace epochcast::libtorch {
namespace {

using Store = c10::intrusive_ptr<c10d::Store>;
constexpr auto store_timeout = std::chrono::minutes(2);

c10d::TCPStoreOptions store_options(std::int64_t port) {
  c10d::TCPStoreOptions options;
  options.port = std::uint16_t(port);
  options.waitWorkers = false;  // the rendezvous has waited for them already
  options.timeout = store_timeout;
  return options;
}

/// With a listener of this code's own: c10d's would listen on all addresses, also where all ranks
/// share a machine.
Store serve_store(const std::string& host) {
  auto listener = ranks::listen_on({0}, host);
  auto options = store_options(ranks::port_of(listener));
  options.isServer = true;
  options.useLibUV = false;  // which takes no listener of others in LibTorch 2.7
  options.masterListenFd = listener.release();
  return c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
}

Store join_store(const std::string& host, std::int64_t port) {
  return c10::make_intrusive<c10d::TCPStore>(host, store_options(port));
}

/// A copy: if a rank is lost, the caller does not wait for Gloo, whose threads may still read the
/// bytes much later.
torch::Tensor byte_tensor(std::string_view bytes, std::size_t size) {
  auto tensor = torch::zeros({std::int64_t(size)}, torch::kByte);
  std::ranges::copy(bytes, tensor.mutable_data_ptr<std::uint8_t>());
  return tensor;
}

std::string leading_bytes(const torch::Tensor& tensor, std::int64_t size) {
  return {reinterpret_cast<const char*>(tensor.const_data_ptr<std::uint8_t>()), std::size_t(size)};
}

constexpr double between_questions_s = 0.05;
constexpr double most_calls = 20;  ///< Steps may become slow after an exchange.

}  // namespace

RankGroup::RankGroup(const RankGroupOptions& options) : options_(options) {
  const auto& place = options_.place;
  const auto served = place.is_first() ? serve_store(place.rendezvous_host) : nullptr;
  const auto port = served ? static_cast<c10d::TCPStore&>(*served).getPort() : 0;
  auto rendezvous = ranks::join_run(place, options_.me,
                                    {.secret = options_.secret,
                                     .welcome = std::to_string(port),
                                     .timeout_s = options_.rendezvous_s},
                                    options_.stop);
  open_device(options_.device.str());  // the same on all ranks, so all say in one line why not
  const auto address = rendezvous.address;
  const auto welcome = parse_integer(rendezvous.welcome).value_or(0);
  heartbeat_ = std::make_unique<ranks::Heartbeat>(options_.me, std::move(rendezvous));
  heartbeat_->on_loss([this](const std::string& loss) { break_off(loss); });
  connect(address, served ? served : join_store(place.rendezvous_host, welcome));
  compare_clocks();
}

RankGroup::~RankGroup() = default;

void RankGroup::connect(const std::string& address, const Store& store) {
  const int rank = int(options_.place.rank);
  const int size = int(options_.place.size);
  const auto part = [&](const char* name) {
    return c10::make_intrusive<c10d::PrefixStore>(name, store);
  };
  using Type = c10d::ProcessGroup::BackendType;

  on_host_ = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  on_host_->setBackend(torch::kCPU, Type::GLOO, gloo_backend(part("host"), rank, size, address));
  on_host_->setDefaultBackend(Type::GLOO);
  agreement_ = std::make_unique<Agreement>(on_host_, guard_);

  const bool gpu = options_.device.is_cuda();
  on_device_ = c10::make_intrusive<GuardedGroup>(store, rank, size, guard_);
  on_device_->setBackend(options_.device.type(), gpu ? Type::NCCL : Type::GLOO,
                         gpu ? nccl_backend(part("device"), rank, size)
                             : gloo_backend(part("device"), rank, size, address));
  on_device_->setDefaultBackend(gpu ? Type::NCCL : Type::GLOO);
}

/// NCCL's communicator ends when no rank uses it any more, and while rank 0 still serves the store.
void RankGroup::leave() {
  if (options_.device.is_cuda()) {
    barrier();
    on_device_->getBackend(torch::kCUDA)->shutdown();
  }
  heartbeat_->leave();
}

/// In the heartbeat's thread. NCCL's kernels wait on the GPU and the host waits for them: only
/// abort() ends that.
void RankGroup::break_off(const std::string& loss) {
  guard_.break_off(loss);
  if (options_.device.is_cuda() && on_device_) {
    on_device_->getBackend(torch::kCUDA)->abort();
  }
}

void RankGroup::compare_clocks() {
  barrier();
  const auto first_s = parse_double(broadcast(format_shortest(SteadyClock().now_s())));
  to_first_clock_s_ = rank() == 0 ? 0 : first_s.value_or(0) - SteadyClock().now_s();
}

std::int64_t RankGroup::size_on_node() const {
  return std::ranges::count(heartbeat_->members(), options_.me.host, &ranks::Member::host);
}

std::int64_t RankGroup::nodes() const {
  std::set<std::string> hosts;
  for (const auto& member : heartbeat_->members()) {
    hosts.insert(member.host);
  }
  return std::ssize(hosts);
}

std::vector<double> RankGroup::sum(const std::vector<double>& values) {
  std::vector<torch::Tensor> sums{torch::tensor(values, torch::kDouble)};
  guard_.wait(on_host_->allreduce(sums));
  const auto* first = sums.front().const_data_ptr<double>();
  return {first, first + values.size()};
}

std::vector<std::string> RankGroup::gather(const std::string& bytes) {
  auto length = torch::tensor({std::int64_t(bytes.size())}, torch::kLong);
  std::vector<std::vector<torch::Tensor>> lengths{{}};
  for (std::int64_t rank = 0; rank < size(); ++rank) {
    lengths.front().push_back(torch::empty_like(length));
  }
  std::vector<torch::Tensor> own_length{length};
  guard_.wait(on_host_->allgather(lengths, own_length));
  const auto longest = torch::stack(lengths.front()).max().item<std::int64_t>();

  const auto padded = std::size_t(std::max<std::int64_t>(longest, 1));  // Gloo refuses empty ones
  std::vector<torch::Tensor> input{byte_tensor(bytes, padded)};
  std::vector<std::vector<torch::Tensor>> outputs(rank() == 0 ? 1 : 0);
  for (std::int64_t from = 0; rank() == 0 && from < size(); ++from) {
    outputs.front().push_back(torch::empty_like(input.front()));
  }
  guard_.wait(on_host_->gather(outputs, input));
  std::vector<std::string> all;
  for (std::size_t from = 0; rank() == 0 && from < std::size_t(size()); ++from) {
    all.push_back(leading_bytes(outputs.front()[from], lengths.front()[from].item<std::int64_t>()));
  }
  return all;
}

std::string RankGroup::broadcast(const std::string& text) {
  const auto length = sum({rank() == 0 ? double(text.size()) : 0.0}).front();
  if (length == 0) {
    return "";
  }
  std::vector<torch::Tensor> message{byte_tensor(rank() == 0 ? text : "", std::size_t(length))};
  guard_.wait(on_host_->broadcast(message));
  return leading_bytes(message.front(), std::int64_t(length));
}

double RankGroup::all_reduce_s(torch::Tensor& message) {
  std::vector<torch::Tensor> messages{message};
  const SteadyClock clock;
  const double start_s = clock.now_s();
  on_device_->allreduce(messages)->getFuture()->waitAndThrow();
  if (options_.device.is_cuda()) {
    torch::cuda::synchronize(options_.device.index());
  }
  return clock.now_s() - start_s;
}

/// Sizes from one that shows only the latency to one that shows nearly only the bandwidth: 89
/// messages; the first of each size is not counted.
std::vector<record::Probe> RankGroup::probe() {
  struct Size {
    std::int64_t floats;
    std::int64_t repeats;
  };
  constexpr std::array sizes{Size{2, 50}, Size{1 << 14, 20}, Size{1 << 18, 10}, Size{1 << 20, 5}};
  std::vector<record::Probe> probes;
  for (const auto& [floats, repeats] : sizes) {
    auto message = torch::zeros({floats}, options_.device);
    all_reduce_s(message);  // the first one creates buffers
    std::vector<double> times_s;
    for (std::int64_t i = 0; i < repeats; ++i) {
      times_s.push_back(all_reduce_s(message));
    }
    probes.push_back({.name = record::FixedText<32>("all_reduce"),
                      .backend = record::FixedText<16>(options_.device.is_cuda() ? "nccl" : "gloo"),
                      .ranks = size(),
                      .nodes = nodes(),
                      .message_bytes = floats * std::int64_t(sizeof(float)),
                      .seconds = median_of(times_s),
                      .repeats = repeats});
  }
  take_gradient_sync_wait_s();
  take_exchange_spans();
  return rank() == 0 ? probes : std::vector<record::Probe>{};
}

ranks::Failure RankGroup::fail(const ranks::Failure& failure) {
  return heartbeat_->fail(failure);
}

bool RankGroup::must_report() {
  constexpr double end_of_first_s = 30;  // longer than the grace of a stuck rank 0: HeartbeatTimes
  return rank() == 0 || heartbeat_->first_ends(end_of_first_s);
}

std::unique_ptr<Replica> RankGroup::join(torch::nn::Module& network) {
  return std::make_unique<ReducedReplica>(network, on_device_);
}

void RankGroup::all_reduce(torch::Tensor& values) {
  on_device_->all_reduce(values);
}

std::int64_t Agreement::agree(std::int64_t wish) {
  if (--calls_left_ > 0) {
    return 0;
  }
  const auto agreed = answer_ ? answer() : 0;
  ask(wish);
  calls_left_ = stride_;
  return agreed;
}

std::int64_t Agreement::answer() {
  answer_->waitAndThrow();
  const auto* largest = question_.front().const_data_ptr<std::int64_t>();
  stride_ = -largest[1];
  return largest[0];
}

/// With its request each rank proposes a stride, by its own clock; the smallest is used.
void Agreement::ask(std::int64_t wish) {
  const double now_s = clock_.now_s();
  const double a_call_s = (now_s - asked_at_s_) / double(stride_);
  const auto stride =
      std::int64_t(std::clamp(between_questions_s / std::max(a_call_s, 1e-9), 1.0, most_calls));
  asked_at_s_ = now_s;
  question_ = {torch::tensor({wish, -stride}, torch::kLong)};
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  answer_ = guard_.watch(group_->allreduce(question_, options)->getFuture());
}

}  // namespace epochcast::libtorch
