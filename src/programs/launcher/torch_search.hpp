// Where the trainer of the archive finds LibTorch. Standard library only: the launcher is static.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace epochcast::launcher {

/// A folder that may hold LibTorch, and who named it.
struct Candidate {
  std::filesystem::path folder;
  std::string origin;  ///< "--torch", "EPOCHCAST_TORCH", ...
  bool named = true;   ///< The user named it: then no other is tried.
};

/// LibTorch as it was found.
struct Torch {
  std::filesystem::path libraries;  ///< The folder of libtorch_cpu.so.
  std::string version;              ///< "2.11.0+cu130"
  std::string origin;
  bool old_abi = false;  ///< Built with _GLIBCXX_USE_CXX11_ABI=0: our trainers cannot load it.

  /// "2.11" of "2.11.0+cu130".
  std::string series() const;

  /// `libraries`, and of a wheel the folders of NVIDIA's wheels beside it, with ':' between them:
  /// what CUDA's libraries open by the bare name is found there.
  std::string library_path() const;
};

/// LibTorch in `candidate.folder`, which is an unpacked libtorch, the torch folder of a wheel, or
/// the folder above it (site-packages, pip's --target); std::nullopt if there is none.
std::optional<Torch> torch_in(const Candidate& candidate);

/// The folders of Python packages that `pip install` fills beside the programs in `prefix`/bin: of
/// a virtual environment, of the system or of a user, and `prefix` itself (`--target`).
std::vector<std::filesystem::path> site_packages(const std::filesystem::path& prefix);

/// The first candidate that holds LibTorch. Throws std::runtime_error if a folder that the user
/// named does not.
std::optional<Torch> find_torch(const std::vector<Candidate>& candidates);

/// The trainer of `torch` among `trainers` ("epochcast-train-2.11", in `folder`). Throws
/// std::runtime_error with one line: what was found, what is needed, and the command that gets it.
std::filesystem::path trainer_for(const std::optional<Torch>& torch,
                                  const std::filesystem::path& folder);

}  // namespace epochcast::launcher
