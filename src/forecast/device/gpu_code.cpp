#include "src/forecast/device/gpu_code.hpp"

#include <algorithm>
#include <optional>

#include "src/base/core/text.hpp"

namespace epochcast::device {
namespace {

/// "sm_90a" as its parts.
struct GpuCode {
  bool is_binary = true;  ///< sm; false: compute.
  std::int64_t major = 0;
  std::int64_t minor = 0;
  char suffix = '\0';
};

std::optional<GpuCode> parse_code(std::string_view text) {
  GpuCode code{.is_binary = text.starts_with("sm_")};
  if (!code.is_binary && !text.starts_with("compute_")) {
    return std::nullopt;
  }
  text.remove_prefix(text.find('_') + 1);
  if (text.ends_with('a') || text.ends_with('f')) {
    code.suffix = text.back();
    text.remove_suffix(1);
  }
  const auto version = parse_integer(text);
  if (!version || *version < 10) {
    return std::nullopt;
  }
  code.major = *version / 10;
  code.minor = *version % 10;
  return code;
}

bool runs_on(const GpuCode& code, const GpuCode& gpu) {
  const bool same_major = code.major == gpu.major;
  if (code.suffix == 'a') {
    return same_major && code.minor == gpu.minor;
  }
  return (same_major && code.minor <= gpu.minor) ||
         (!code.is_binary && code.suffix == '\0' && code.major < gpu.major);
}

constexpr std::string_view without_cuda = "without CUDA";
constexpr std::string_view with_cuda_for = "with CUDA for ";
constexpr std::string_view unknown_code = "unknown architectures";

/// The rest of the line after `key`; std::nullopt: there is no `key`.
std::optional<std::string> line_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  return at == std::string_view::npos
             ? std::nullopt
             : std::optional(std::string(
                   text.substr(at + key.size(), text.find('\n', at) - at - key.size())));
}

}  // namespace

std::string to_text(const CudaSupport& support) {
  if (!support.loads) {
    return std::string(without_cuda) +
           (support.why_not.empty() ? "" : " (" + support.why_not + ")");
  }
  return std::string(with_cuda_for) +
         (support.code.empty() ? std::string(unknown_code) : join(support.code, " "));
}

std::optional<CudaSupport> cuda_support_in(std::string_view version) {
  if (const auto rest = line_after(version, without_cuda)) {
    const bool has_reason = rest->starts_with(" (") && rest->ends_with(')');
    return CudaSupport{.why_not = has_reason ? rest->substr(2, rest->size() - 3) : ""};
  }
  const auto code = line_after(version, with_cuda_for);
  if (!code) {
    return std::nullopt;
  }
  return CudaSupport{
      .loads = true,
      .code = *code == unknown_code ? std::vector<std::string>{} : split(*code, ' ')};
}

std::vector<std::string> code_in_flags(std::string_view flags) {
  constexpr std::string_view key = "code=";
  std::vector<std::string> all;
  for (auto at = flags.find(key); at != std::string_view::npos; at = flags.find(key)) {
    flags.remove_prefix(at + key.size());
    auto value = std::string(flags.substr(0, flags.find_first_of("; \n")));
    std::erase_if(value, [](char c) { return c == '[' || c == ']' || c == '"' || c == '\''; });
    for (const auto& code : split(value, ',')) {
      if (parse_code(code) && std::ranges::find(all, code) == all.end()) {
        all.push_back(code);
      }
    }
  }
  return all;
}

bool has_code_for(const std::vector<std::string>& code, std::string_view architecture) {
  const auto gpu = parse_code(architecture);
  return gpu && std::ranges::any_of(code, [&](const std::string& text) {
           const auto own = parse_code(text);
           return own && runs_on(*own, *gpu);
         });
}

}  // namespace epochcast::device
