#include "jobs/campaign/relocation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

/// The root in generate.json; empty if it has none that can be compared.
std::string kept_root(const OutFolder& out) {
  constexpr auto unwritable = "\uFFFD";  // replaces a byte of a path that JSON cannot contain
  if (!is_there(out.origin())) {
    return "";
  }
  const auto json = nlohmann::json::parse(read_file(out.origin()), nullptr, false);
  if (!json.is_object() || !json.contains("root") || !json["root"].is_string()) {
    return "";
  }
  const std::string root = json["root"];
  return root.find(unwritable) == std::string::npos ? root : "";
}

}  // namespace

std::optional<fs::path> original_of(const OutFolder& out) {
  fs::path root = kept_root(out);
  std::error_code one_is_gone;
  if (root.empty() || root == out.root || fs::equivalent(root, out.root, one_is_gone)) {
    return std::nullopt;
  }
  return root;
}

std::string fix_of_copy(const OutFolder& out) {
  const bool planned = is_there(out.plan()) || is_there(out.root.parent_path() / "plan.csv");
  return planned ? "plan into a new folder, or move it back"
                 : "generate again into this one, or move it back";
}

void require_made_here(const OutFolder& out) {
  for (const auto& folder : {out, OutFolder(out.pilots())}) {
    if (const auto root = original_of(folder)) {
      throw Error(fmt::format("{}: the folder was made as {} and its scripts write there; {}",
                              folder.root.string(), root->string(), fix_of_copy(folder)));
    }
  }
}

}  // namespace epochcast::jobs
