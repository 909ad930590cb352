#include "jobs/campaign/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {

namespace fs = std::filesystem;

namespace {

/// Files beside the claim of a point, which its script reads.
constexpr std::array markers{".resume", ".memory", ".claiming"};

bool is_marker(const fs::path& path) {
  return std::ranges::count(markers, path.extension().string()) > 0;
}

void remove_if_there(const fs::path& file) {
  if (std::error_code error; !fs::remove(file, error) && error) {
    throw RunError(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
  }
}

void set_marker(const fs::path& file, bool is_set, const std::string& text) {
  if (is_set) {
    write_file(file, text);
  } else {
    remove_if_there(file);
  }
}

}  // namespace

std::map<std::string, std::string> read_claims(const OutFolder& out) {
  std::map<std::string, std::string> claims;
  std::error_code unreadable;
  for (const auto& entry : entries_of(out.claims())) {
    if (entry.is_regular_file(unreadable) && !is_marker(entry.path())) {
      if (const auto text = read_file(entry.path());
          !trim(text).empty()) {  // empty: see drop_empty_claim()
        claims[entry.path().filename()] = trim(text);
      }
    }
  }
  return claims;
}

std::string drop_empty_claim(const OutFolder& out, const std::string& point) {
  const auto claim = out.claim(point);
  std::error_code error;
  const bool dropped = fs::is_regular_file(claim, error) && trim(read_file(claim)).empty() &&
                       fs::remove(claim, error);
  return dropped ? fmt::format("{}: its claim named no job, as after a full disk, and was removed",
                               point)
                 : "";
}

void remove_claim(const OutFolder& out, const std::string& point) {
  remove_if_there(out.claim(point));
}

void set_resume(const OutFolder& out, const std::string& point, bool resume) {
  set_marker(out.claim(point).string() + ".resume", resume, "");
}

void set_memory(const OutFolder& out, const std::string& point, const std::string& memory) {
  set_marker(out.claim(point).string() + ".memory", !memory.empty(), memory + "\n");
}

}  // namespace epochcast::jobs
