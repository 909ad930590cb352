// Which of two ways to compute the same values is faster on this machine. It depends on the CPU,
// its instruction set and the sizes, so it is measured: once for each size, kept in a file,
// recorded.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::libtorch {

/// A computation that two libraries or algorithms can do; the texts are literals.
struct Kernel {
  std::string_view name;
  std::string_view usual;  ///< LibTorch's own.
  std::string_view other;
  auto operator<=>(const Kernel&) const = default;
};

/// A kernel with the sizes that its time depends on; 0: not used.
struct SizedKernel {
  Kernel kernel;
  std::array<std::int64_t, 8> sizes = {};
  auto operator<=>(const SizedKernel&) const = default;
};

/// `count` rounded up to a power of two, so that batches of nearly the same length share a choice.
std::int64_t rounded_up(std::int64_t count);

/// From here on choices are measured, and kept in a file in `folder` for this CPU model,
/// instruction set, number of threads and LibTorch. Processes on a machine measure one after the
/// other, and each uses what another has measured, so that all of them, and later runs, compute the
/// same bits. Without this call, and if the file cannot be read, written or locked,
/// other_is_faster() returns its default.
void measure_kernels(const std::string& folder, int threads);

/// Ends what measure_kernels() began.
void use_default_kernels();

/// Where the choices of a user are kept: $XDG_CACHE_HOME/epochcast, or ~/.cache/epochcast;
/// std::nullopt if neither variable is set.
std::optional<std::string> kernel_folder();

/// Seconds since the last call that were spent on choices: measuring, and waiting for another
/// process that measures. They belong to no step.
double take_kernel_choice_s();

/// The choices that were made since the last call, in the order of their first use.
std::vector<record::KernelChoice> take_kernel_choices();

/// Why defaults are used although choices should be measured; "" if there is no reason.
std::string kernel_choice_note();

/// The choice for `kernel` if one was made; `by_default` if none are measured here.
std::optional<bool> known_choice(const SizedKernel& kernel, bool by_default);

/// Reads the choice for `kernel` from the file or runs both computations a few times, and keeps it.
bool measured_choice(const SizedKernel& kernel, bool by_default, const std::function<void()>& usual,
                     const std::function<void()>& other);

/// Whether `other` computes `kernel` faster than `usual` here. The first call with these sizes runs
/// both a few times; their results must not depend on how often they run.
template <class Usual, class Other>
bool other_is_faster(const SizedKernel& kernel, bool by_default, Usual&& usual, Other&& other) {
  const auto known = known_choice(kernel, by_default);
  return known ? *known
               : measured_choice(
                     kernel, by_default, [&] { usual(); }, [&] { other(); });
}

}  // namespace epochcast::libtorch
