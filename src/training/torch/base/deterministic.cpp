#include "src/training/torch/base/deterministic.hpp"

#include <algorithm>
#include <vector>

#include "src/base/cli/report.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::libtorch {
namespace {

/// Takes LibTorch's warnings about determinism, which it gives at every call, and leaves the others
/// alone.
class DeterminismWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    const auto& text = warning.msg();
    if (text.find("determinis") == std::string::npos) {
      return c10::WarningHandler::process(warning);
    }
    // "put_ does not have a deterministic implementation, but you set ..."; others are sentences.
    const auto name = text.substr(0, std::min(text.find(" does not have"), text.find(". ")));
    if (std::ranges::find(names_, name) == names_.end()) {
      names_.push_back(name);
      cli::report("warning: " + note());
    }
  }

  void clear() { names_.clear(); }
  std::string note() const {
    return names_.empty() ? ""
                          : "deterministic: two runs may differ, because LibTorch has no "
                            "deterministic kernel for: " +
                                join(names_, ", ");
  }

 private:
  std::vector<std::string> names_;
};

DeterminismWarnings& determinism_warnings() {
  static DeterminismWarnings warnings;
  return warnings;
}

}  // namespace

void use_deterministic_kernels(bool yes, const std::string& device) {
  auto& context = at::globalContext();
  context.setDeterministicAlgorithms(yes, /*warn_only=*/true);
  context.setDeterministicFillUninitializedMemory(false);  // nothing reads it
  context.setDeterministicCuDNN(yes);
  context.setDeterministicMkldnn(yes);
  const bool fused = !yes || device == "cpu";
  context.setSDPUseFlash(fused);
  context.setSDPUseMemEfficient(fused);
  context.setSDPUseCuDNN(fused);
  determinism_warnings().clear();
  // In this thread; those of the backward pass hand their warnings over to it.
  c10::WarningUtils::set_warning_handler(yes ? &determinism_warnings() : nullptr);
}

std::string deterministic_note() {
  return determinism_warnings().note();
}

}  // namespace epochcast::libtorch
