#include "jobs/script/container_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using Words = std::vector<std::string>;

/// What a runtime needs to know.
struct Use {
  const Container& container;
  Words binds;      ///< "SOURCE:TARGET[:ro]"
  Words variables;  ///< Names of environment variables besides Epochcast's.
  bool gpu = false;
};

void append(Words& words, std::string_view option, const Words& values) {
  for (const auto& value : values) {
    words.push_back(std::string(option) + value);
  }
}

/// apptainer(1), singularity(1): the environment and the home folder are those of the host.
Words apptainer(const Use& use) {
  Words words{use.container.runtime, "exec"};
  if (use.gpu) {
    words.emplace_back("--nv");
  }
  append(words, "--bind=", use.binds);
  append(words, "", use.container.options);
  words.push_back(use.container.image);
  return words;
}

/// ch-run(1): the targets of binds must exist in the image, unless an option makes it writable. The
/// libraries of a GPU's driver must be in the image (ch-fromhost --nvidia). A bind cannot be
/// read-only.
Words charliecloud(const Use& use) {
  Words words{"ch-run"};
  Words binds;
  for (const auto& bind : use.binds) {
    const auto parts = split(bind, ':');
    binds.push_back(parts[0] + ":" + parts[1]);
  }
  append(words, "--bind=", binds);
  append(words, "", use.container.options);
  words.push_back(use.container.image);
  words.emplace_back("--");
  return words;
}

/// podman-run(1): the environment is not passed on, so that names are given; the container stays in
/// the job's cgroup and network, as the limits and the ranks of a job need.
Words podman(const Use& use) {
  Words words{"podman", "run", "--rm", "--cgroups=disabled", "--network=host", "--ipc=host"};
  append(words, "--env=",
         {"EPOCHCAST_*", "SLURM_*", "OMP_*", "MKL_*", "OPENBLAS_*", "CUDA_*", "HDF5_*", "NCCL_*",
          "GLOO_*", "RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_*"});
  append(words, "--env=", use.variables);
  if (use.gpu) {
    words.emplace_back("--device=nvidia.com/gpu=all");
  }
  append(words, "--volume=", use.binds);
  words.emplace_back("--entrypoint=");
  append(words, "", use.container.options);
  words.push_back(use.container.image);
  return words;
}

struct Runtime {
  std::string_view name;
  std::string_view program;
  Words (*words)(const Use& use);
};

constexpr std::array runtimes{
    Runtime{"apptainer", "apptainer", apptainer}, Runtime{"singularity", "singularity", apptainer},
    Runtime{"charliecloud", "ch-run", charliecloud}, Runtime{"podman", "podman", podman}};

/// nullptr: no container, or one that srun starts.
const Runtime* runtime_of(const Container& container) {
  const auto* found = std::ranges::find(runtimes, container.runtime, &Runtime::name);
  return found == runtimes.end() ? nullptr : found;
}

/// Whether the bind shows `path` as it is outside, writable.
bool shows(const std::string& bind, const std::string& path) {
  const auto parts = split(bind, ':');
  const bool is_same = parts[1] == parts[0] && (parts.size() < 3 || parts[2] != "ro");
  return is_same && (path == parts[0] || path.starts_with(parts[0] + "/"));
}

/// The user's binds, and before them the output folder unless one of them shows it.
Words binds_of(const Container& container, const std::string& out) {
  Words binds;
  for (const auto& bind : container.binds) {
    binds.push_back(bind.find(':') == std::string::npos ? bind + ":" + bind : bind);
  }
  if (std::ranges::none_of(binds, [&](const auto& bind) { return shows(bind, out); })) {
    binds.insert(binds.begin(), out + ":" + out);
  }
  return binds;
}

/// The variables that shell lines export. A name too many does no harm: one that is not set is not
/// passed on.
Words exported_names(const Words& shell_lines) {
  Words names;
  for (const auto& line : shell_lines) {
    bool exports = false;
    for (const auto& part : split(line, ' ')) {
      const auto name = part.substr(0, part.find_first_of("=;&"));
      const bool is_name = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_';
      });
      if (exports && is_name) {
        names.push_back(name);
      }
      exports = part == "export" || (exports && part.find_first_of(";&") == std::string::npos);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> container_words(const AllocationProfile& site, const std::string& out,
                                         const std::vector<std::string>& variables) {
  const auto& container = site.container;
  const auto* runtime = runtime_of(container);
  if (runtime == nullptr) {
    return {};
  }
  const bool gpu =
      container.gpu == "true" || (container.gpu == "auto" && run::gpus_of(site.asks) > 0);
  auto names = variables;
  append(names, "", exported_names(site.setup));
  return runtime->words({container, binds_of(container, out), names, gpu});
}

std::vector<std::string> container_srun_options(const AllocationProfile& site,
                                                const std::string& out) {
  const auto& container = site.container;
  if (container.runtime != "pyxis") {
    return {};
  }
  Words words{"--container-image=" + container.image,
              "--container-mounts=" + join(binds_of(container, out), ",")};
  append(words, "", container.options);
  return words;
}

std::vector<std::pair<std::string, std::string>> container_programs() {
  std::vector<std::pair<std::string, std::string>> programs;
  for (const auto& runtime : runtimes) {
    programs.emplace_back(runtime.name, runtime.program);
  }
  return programs;
}

std::string container_program(const Container& container) {
  const auto* runtime = runtime_of(container);
  return runtime == nullptr ? "" : std::string(runtime->program);
}

}  // namespace epochcast::jobs
