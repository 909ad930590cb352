#include "src/training/torch/parallel/agreement.hpp"

#include <algorithm>

namespace epochcast::libtorch {
namespace {

constexpr double between_questions_s = 0.05;
constexpr double most_calls = 20;  ///< Steps may become slow after an exchange.

}  // namespace

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
