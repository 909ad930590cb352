#include "src/programs/launcher/torch_search.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace epochcast::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view trainer_prefix = "epochcast-train-";

std::string file_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The first text between single quotes after `name`, as version.py has it.
std::string quoted_after(const std::string& text, const std::string& name) {
  const auto at = text.find(name);
  const auto from = at == std::string::npos ? at : text.find('\'', at);
  const auto to = from == std::string::npos ? from : text.find('\'', from + 1);
  return to == std::string::npos ? "" : text.substr(from + 1, to - from - 1);
}

/// Of a wheel: version.py; of the archive from pytorch.org: build-version.
std::string version_of(const fs::path& torch) {
  auto version = quoted_after(file_text(torch / "version.py"), "__version__ =");
  if (version.empty()) {
    version = file_text(torch / "build-version");
  }
  return version.substr(0, version.find_first_of("\r\n"));
}

/// The series of the trainers in the archive: 2.7, 2.11.
std::vector<std::string> known_series(const fs::path& folder) {
  std::vector<std::string> series;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(trainer_prefix)) {
      series.push_back(name.substr(trainer_prefix.size()));
    }
  }
  std::ranges::sort(series);
  return series;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "" : " or ") + word;
  }
  return text;
}

}  // namespace

std::string Torch::series() const {
  const auto major = version.find('.');
  return version.substr(0, major == std::string::npos ? major : version.find('.', major + 1));
}

std::string Torch::library_path() const {
  std::vector<std::string> folders;
  std::error_code missing;
  const auto wheels = libraries.parent_path().parent_path() / "nvidia";
  for (const auto& wheel : fs::directory_iterator(wheels, missing)) {
    if (const auto folder = wheel.path() / "lib"; fs::exists(folder, missing)) {
      folders.push_back(":" + folder.string());
    }
  }
  std::ranges::sort(folders);
  return std::accumulate(folders.begin(), folders.end(), libraries.string());
}

std::optional<Torch> torch_in(const Candidate& candidate) {
  for (const auto& torch : {candidate.folder, candidate.folder / "torch"}) {
    std::error_code ignored;
    if (fs::exists(torch / "lib/libtorch_cpu.so", ignored)) {
      const auto flags = file_text(torch / "share/cmake/Torch/TorchConfig.cmake");
      return Torch{.libraries = fs::absolute(torch / "lib"),
                   .version = version_of(torch),
                   .origin = candidate.origin,
                   .old_abi = flags.find("_GLIBCXX_USE_CXX11_ABI=0") != std::string::npos};
    }
  }
  return std::nullopt;
}

std::vector<fs::path> site_packages(const fs::path& prefix) {
  std::vector<fs::path> folders{prefix};
  std::error_code missing;
  for (const auto& python : fs::directory_iterator(prefix / "lib", missing)) {
    if (python.path().filename().string().starts_with("python3")) {
      folders.push_back(python.path() / "site-packages");
      folders.push_back(python.path() / "dist-packages");
    }
  }
  std::ranges::sort(folders);
  return folders;
}

std::optional<Torch> find_torch(const std::vector<Candidate>& candidates) {
  for (const auto& candidate : candidates) {
    if (auto torch = torch_in(candidate)) {
      return torch;
    }
    if (candidate.named) {
      throw std::runtime_error(candidate.origin + ": found no lib/libtorch_cpu.so in '" +
                               candidate.folder.string() +
                               "', expected the folder 'torch' of a wheel or an unpacked LibTorch");
    }
  }
  return std::nullopt;
}

std::filesystem::path trainer_for(const std::optional<Torch>& torch, const fs::path& folder) {
  const auto series = known_series(folder);
  const auto need = " needs LibTorch " + joined(series) +
                    "; to get it: python3 -m pip install --target ~/epochcast-torch torch==" +
                    (series.empty() ? "2.11" : series.front()) +
                    ".* and export EPOCHCAST_TORCH=~/epochcast-torch";
  if (!torch) {
    throw std::runtime_error(
        "found no LibTorch (--torch, EPOCHCAST_TORCH, lib/torch of the archive, python3's torch); "
        "this archive" +
        need);
  }
  const auto found = "found LibTorch " +
                     (torch->version.empty() ? "of unknown version" : torch->version) + " in " +
                     torch->libraries.parent_path().string() + " (" + torch->origin + ")";
  if (torch->old_abi) {
    throw std::runtime_error(found + ", built with the old C++ ABI; this archive" + need);
  }
  if (std::ranges::find(series, torch->series()) == series.end()) {
    throw std::runtime_error(found + "; this archive" + need);
  }
  return folder / (std::string(trainer_prefix) + torch->series());
}

}  // namespace epochcast::launcher
