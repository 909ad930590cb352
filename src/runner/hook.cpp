#include "src/runner/hook.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "src/base/core/files.hpp"
#include "src/base/core/install.hpp"
#include "src/measure/progress/sources/events.hpp"

namespace epochcast::runner {

std::map<std::string, std::string> hook_environment(const std::string& path) {
  const std::string folder = "python/epochcast/_site";
  auto search = installed_data(folder, folder).string();
  const char* of_user = std::getenv("PYTHONPATH");
  if (of_user != nullptr && *of_user != '\0') {
    search += ":" + std::string(of_user);
  }
  return {{"PYTHONPATH", search}, {"EPOCHCAST_HOOK", path}};
}

bool is_python(const std::vector<std::string>& command) {
  constexpr std::array<std::string_view, 5> starters{"python", "torchrun", "accelerate",
                                                     "deepspeed", "papermill"};
  return std::ranges::any_of(command, [&](const auto& word) {
    const auto name = std::filesystem::path(word).filename().string();
    return name.ends_with(".py") ||
           std::ranges::any_of(starters, [&](auto starter) { return name.starts_with(starter); });
  });
}

HookedProgress::HookedProgress(const std::string& path, const progress::sources::ClockZero& zero)
    : path_(path), source_(progress::sources::follow_events(path, zero)) {}

void HookedProgress::read(double now_s, bool ended) {
  for (const auto& [reading, at_s] : ended ? source_->finish(now_s) : source_->read(now_s)) {
    merge_.see(reading);
    rows_.read(reading, at_s, "hook");
  }
  if (ended) {
    rows_.finish(now_s);
  } else {
    rows_.tick(now_s);
  }
}

progress::Rows HookedProgress::merged(progress::Rows output, bool are_events, bool ended) {
  if (are_events) {
    merge_.leave_to_output();
  }
  return merge_.add(rows_.take(), std::move(output), ended);
}

progress::Position HookedProgress::position(const progress::Position& output) const {
  return merge_.position(rows_.position(), output);
}

std::vector<std::string> HookedProgress::remarks() const {
  auto all = source_->remarks();
  if (!is_there(path_)) {
    all.emplace_back(
        "--hook: no Python program has loaded the hook; with -I, -E or -S, Python does not, nor "
        "does one before 3.8");
  }
  all.push_back(merge_.difference());
  return all;
}

}  // namespace epochcast::runner
