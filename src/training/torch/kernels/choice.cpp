#include "src/training/torch/kernels/choice.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>

#include "src/base/config/field_values.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/csv_file.hpp"
#include "src/base/core/file_lock.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {
namespace {

namespace fs = std::filesystem;

/// The default is given up only for a gain that noise does not cause.
constexpr double least_gain = 1.1;
/// Both computations run in turns, at least twice, until this time is over or they ran this often.
constexpr double measuring_s = 0.02;
constexpr int least_rounds = 2;
constexpr int most_rounds = 5;
/// Another process measures for a second at most.
constexpr double lock_patience_s = 30;

std::string sizes_text(const SizedKernel& kernel) {
  const auto end = std::ranges::find(kernel.sizes, 0);
  return fmt::format("{}", fmt::join(kernel.sizes.begin(), end, " "));
}

/// What the times depend on, as a file name: letters, digits, '.' and '-'.
std::string file_name(int threads) {
  auto name = fmt::format("kernels-{}-{}", attempt::read_machine().cpu_model.view(),
                          at::get_cpu_capability());
  for (const char* limit : {"ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS"}) {
    if (const char* value = std::getenv(limit)) {
      name += fmt::format("-{}", value);
    }
  }
  name += fmt::format("-{}-threads-libtorch-{}", threads, TORCH_VERSION);
  for (char& letter : name) {
    const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= 'A' && letter <= 'Z') || letter == '.';
    letter = plain ? letter : '-';
  }
  return name + ".csv";
}

std::string choice_cell(double seconds) {
  return format_shortest(seconds);
}
template <std::size_t size>
std::string choice_cell(const record::FixedText<size>& text) {
  return std::string(text.view());
}
void read_cell(const std::string& cell, double& seconds) {
  from_text(cell, seconds);
}
template <std::size_t size>
void read_cell(const std::string& cell, record::FixedText<size>& text) {
  text = cell;
}

CsvRow choice_cells(const record::KernelChoice& choice) {
  CsvRow cells;
  for_each_field<record::KernelChoice>(
      [&](const auto& field) { cells.push_back(choice_cell(choice.*field.member)); });
  return cells;
}

record::KernelChoice choice_in(const CsvFile& file, std::size_t row) {
  record::KernelChoice choice;
  for_each_field<record::KernelChoice>([&](const auto& field) {
    read_cell(file.text(row, std::string(field.name)), choice.*field.member);
  });
  return choice;
}

class Choices {
 public:
  Choices(const fs::path& folder, int threads)
      : path_(folder / file_name(threads)), lock_(path_.string() + ".lock") {}

  std::optional<bool> known(const SizedKernel& kernel) const {
    const auto found = known_.find(kernel);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  bool decide(const SizedKernel& kernel, bool by_default, const std::function<void()>& usual,
              const std::function<void()>& other) {
    const double start_s = clock_.now_s();
    const auto choice = kept(kernel, by_default, usual, other);
    const bool is_other = choice ? choice->chosen.view() == kernel.kernel.other : by_default;
    if (choice) {
      made_.push_back(*choice);
    }
    known_.emplace(kernel, is_other);
    spent_s_ += clock_.now_s() - start_s;
    return is_other;
  }

  const std::string& note() const { return note_; }
  std::vector<record::KernelChoice> take() { return std::exchange(made_, {}); }
  double take_spent_s() { return std::exchange(spent_s_, 0); }

 private:
  /// std::nullopt where it cannot be kept: another process could choose differently.
  std::optional<record::KernelChoice> kept(const SizedKernel& kernel, bool by_default,
                                           const std::function<void()>& usual,
                                           const std::function<void()>& other) {
    if (!note_.empty()) {
      return std::nullopt;
    }
    try {
      if (!lock_.try_lock_for(lock_patience_s)) {
        throw RunError(path_.string() + ".lock: another process holds it");
      }
      auto choice = in_file(kernel);
      if (!choice) {
        choice = measured(kernel, by_default, usual, other);
        keep(*choice);
      }
      lock_.unlock();
      return choice;
    } catch (const Error& error) {
      lock_.unlock();
      note_ = fmt::format("default kernels, not measured ones: {}", error.what());
      return std::nullopt;
    }
  }

  std::optional<record::KernelChoice> in_file(const SizedKernel& kernel) const {
    std::error_code error;
    if (!fs::exists(path_, error)) {
      return std::nullopt;
    }
    const auto file = CsvFile::read(path_.string());
    for (std::size_t row = 0; row < file.rows(); ++row) {
      if (file.text(row, "kernel") == kernel.kernel.name &&
          file.text(row, "sizes") == sizes_text(kernel)) {
        return choice_in(file, row);
      }
    }
    return std::nullopt;
  }

  static record::KernelChoice measured(const SizedKernel& kernel, bool by_default,
                                       const std::function<void()>& usual,
                                       const std::function<void()>& other) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    const at::DisableRecordFunctionGuard not_counted;
    const SteadyClock clock;
    const auto seconds_of = [&](const std::function<void()>& compute) {
      const double start_s = clock.now_s();
      compute();
      return clock.now_s() - start_s;
    };
    double usual_s = std::numeric_limits<double>::max();
    double other_s = usual_s;
    const double start_s = clock.now_s();
    for (int round = 0;
         round < least_rounds || (round < most_rounds && clock.now_s() < start_s + measuring_s);
         ++round) {
      usual_s = std::min(usual_s, seconds_of(usual));
      other_s = std::min(other_s, seconds_of(other));
    }
    const bool is_other =
        by_default ? usual_s * least_gain > other_s : usual_s > other_s * least_gain;
    return {.kernel = kernel.kernel.name,
            .sizes = sizes_text(kernel),
            .chosen = is_other ? kernel.kernel.other : kernel.kernel.usual,
            .chosen_s = is_other ? other_s : usual_s,
            .rejected = is_other ? kernel.kernel.usual : kernel.kernel.other,
            .rejected_s = is_other ? usual_s : other_s,
            .measured_at = iso8601()};
  }

  void keep(const record::KernelChoice& choice) const {
    std::error_code error;
    const bool is_new = !fs::exists(path_, error);
    std::ofstream file(path_, std::ios::app);
    if (is_new) {
      file << csv_line(run::field_names<record::KernelChoice>());
    }
    file << csv_line(choice_cells(choice)) << std::flush;
    if (!file) {
      throw RunError(path_.string() + ": cannot be written");
    }
  }

  fs::path path_;
  FileLock lock_;
  std::map<SizedKernel, bool> known_;
  SteadyClock clock_;
  double spent_s_ = 0;
  std::vector<record::KernelChoice> made_;
  std::string note_;
};

std::string& opening_note() {
  static std::string note;
  return note;
}

std::unique_ptr<Choices>& choices() {
  static std::unique_ptr<Choices> all;
  return all;
}

}  // namespace

std::int64_t rounded_up(std::int64_t count) {
  return count <= 1 ? 1 : std::int64_t(std::bit_ceil(std::uint64_t(count)));
}

void measure_kernels(const std::string& folder, int threads) {
  use_default_kernels();
  try {
    std::error_code error;
    fs::create_directories(folder, error);
    choices() = std::make_unique<Choices>(folder, threads);
  } catch (const Error& error) {
    opening_note() = fmt::format("default kernels, not measured ones: {}", error.what());
  }
}

void use_default_kernels() {
  choices().reset();
  opening_note().clear();
}

std::string kernel_choice_note() {
  return choices() == nullptr ? opening_note() : choices()->note();
}

std::optional<std::string> kernel_folder() {
  for (const auto& [name, below] :
       {std::pair{"XDG_CACHE_HOME", "/epochcast"}, std::pair{"HOME", "/.cache/epochcast"}}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return std::string(value) + below;
    }
  }
  return std::nullopt;
}

double take_kernel_choice_s() {
  return choices() == nullptr ? 0 : choices()->take_spent_s();
}

std::vector<record::KernelChoice> take_kernel_choices() {
  return choices() == nullptr ? std::vector<record::KernelChoice>{} : choices()->take();
}

std::optional<bool> known_choice(const SizedKernel& kernel, bool by_default) {
  return choices() == nullptr ? std::optional(by_default) : choices()->known(kernel);
}

bool measured_choice(const SizedKernel& kernel, bool by_default, const std::function<void()>& usual,
                     const std::function<void()>& other) {
  return choices()->decide(kernel, by_default, usual, other);
}

}  // namespace epochcast::libtorch
