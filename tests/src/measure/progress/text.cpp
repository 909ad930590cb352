#include "tests/src/measure/progress/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>

#include "src/base/core/text.hpp"

namespace epochcast::tests {
namespace {

constexpr std::time_t clock_start = 1770105600;  // 2026-02-03 08:00:00 UTC

/// How loggers begin a line. {day} 2026-02-03, {clock} 08:00:00, {ms} 125, {s} seconds since the
/// start.
struct Stamp {
  const char* words;
  double resolution_s = 1e-3;
};
const Stamp stamps[] = {
    {"{day} {clock} ", 1},
    {"{day} {clock},{ms} - trainer - INFO - "},
    {"{day} {clock},{ms} INFO     "},
    {"{day}T{clock}.{ms}+01:00 "},
    {"[{day} {clock}] ", 1},                            // 4: ts, from moreutils
    {"[{day} {clock},{ms}][trainer][INFO] - "},         // Hydra
    {"{m}/{d}/{y} {clock} - INFO - __main__ -   ", 1},  // transformers
    {"{m}/{d} {clock} - INFO - ", 1},
    {"INFO:{day} {clock},{ms}:"},
    {"I{m}{d} {clock}.{ms}000 4711 train.py:33] "},           // glog
    {"{day} {clock}.{ms}000: "},                              // TensorFlow
    {"{day} {clock}.{ms} | INFO     | __main__:main:33 - "},  // loguru
    {"[{clock}] ", 1},
    {"{unix}.{ms} "},
    {"[{s:5d}.{ms}] "},
    {"INFO {day} {clock}: ", 1},
    {"{day} {clock} INFO train.py:33 ", 1},
    {"[{day} {clock}][INFO] ", 1},
    {"{day}T{clock}Z ", 1},
    {"{day}T{clock}.{ms}Z INFO "},
    {"[INFO] {day} {clock},{ms} "},
    {"{y}/{m}/{d} {clock} ", 1},
    {"{day} {clock},{ms} | INFO | "},
    {"DLL {day} {clock}.{ms}000 - "},  // DLLogger
    {"[{day} {clock},{ms}] "},
    {" [{day} {clock}] ", 1},                  // 25: Megatron-LM; from here on of one program each
    {"{day} {clock},{ms} - mmdet - INFO - "},  // mmcv
    {"{m}/{d} {clock} - mmengine - INFO - ", 1},
    {"[{m}/{d} {clock} d2.utils.events]: ", 1},          // detectron2
    {"{day} {clock} | INFO | ", 1},                      // fairseq
    {"[host] {day} {clock},{ms} (trainer:777) INFO: "},  // ESPnet
    {"{day} {clock},{ms}   INFO  "},                     // OpenPCDet
    {"{day} {clock}.{ms}125: "},                         // nnU-Net
    {"{day} {clock},{ms} ignite.engine.engine.Engine INFO: "},
    {"{d}/{m}/{y} {clock} ", 1},  // 34: the day first
    {"{d}.{m}.{y} {clock} - INFO - ", 1},
    {"[{d}-{m}-{y} {clock},{ms}] "},
    {"{d}/{m} {clock} - trainer - INFO - ", 1},
    {"{d}.{m}. {clock} ", 1},
};
constexpr int stamp_styles = 25;
constexpr int first_day_first = 34;

std::string stamp(int style, double at_s) {
  const auto ms = static_cast<std::int64_t>(std::floor(at_s * 1000 + 1e-6));
  const std::tm t = fmt::gmtime(clock_start + ms / 1000);
  return fmt::format(
      fmt::runtime(stamps[style].words), fmt::arg("day", fmt::format("{:%Y-%m-%d}", t)),
      fmt::arg("clock", fmt::format("{:%H:%M:%S}", t)),
      fmt::arg("ms", fmt::format("{:03d}", ms % 1000)), fmt::arg("y", fmt::format("{:%Y}", t)),
      fmt::arg("m", fmt::format("{:%m}", t)), fmt::arg("d", fmt::format("{:%d}", t)),
      fmt::arg("s", ms / 1000), fmt::arg("unix", clock_start + ms / 1000));
}

bool without_day(int style) {
  return style == 12;
}

/// Its first digits are those that noise is made of, so that a metric made of noise can be told.
bool of_noise(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return false;
  }
  const double digits = std::abs(value) / std::pow(10, std::floor(std::log10(std::abs(value))));
  return digits > 7.3 && digits < 7.4;
}

const char* const noise_lines[] = {
    "Saved checkpoint to out/model_7341.pt",
    "saving model to checkpoints/last.ckpt (7341 bytes)",
    "UserWarning: lr_scheduler.step() was called before optimizer.step() (7.341)",
    "adjusting learning rate of group 0 to 7.3410e-05.",
    "Warning: found 7341 samples without a label",
    "wandb: Run page: https://wandb.example/runs/7341",
    "GPU memory: 812 MiB allocated",
    "/usr/lib/python3.11/site-packages/torch/utils/data/dataloader.py:7341: UserWarning: slow",
    "patience 1 of 7341",
    "New best score",
    "Validation score improved (0.7340 --> 0.7341).  Saving model ...",
    "[W socket.cpp:7341] The client socket has failed to connect",
    "NCCL version 2.18.7341",
    "    warnings.warn(",
    "",
    "max memory used: 1.5 GB",
};

}  // namespace

std::string in_numbers_of(const std::string& bytes, NumberStyle style) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto end = at;
    while (end < bytes.size() && is_digit(bytes[end])) {
      ++end;
    }
    auto last = end + 1;
    while (last < bytes.size() && is_digit(bytes[last])) {
      ++last;
    }
    const char before = at > 0 ? bytes[at - 1] : ' ';
    const auto lead = at == 0 ? std::string::npos : bytes.find_last_not_of(" [", at - 1);
    const bool of_stamp = lead == std::string::npos || bytes[lead] == '\n';
    const bool of_clock = of_stamp || (before == ':' && at > 1 && is_digit(bytes[at - 2]));
    const bool decimal = end > at && end + 1 < last && bytes[end] == '.' && !of_clock &&
                         std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '.' &&
                         before != '_' && (last >= bytes.size() || bytes[last] != '.');
    if (!decimal) {
      text.append(bytes, at, std::max<std::size_t>(1, end - at));
      at = std::max(at + 1, end) - 1;
      continue;
    }
    const std::string_view thousands = style == NumberStyle::comma_decimals    ? "."
                                       : style == NumberStyle::comma_thousands ? ","
                                                                               : "'";
    for (auto digit = at; digit < end; ++digit) {
      text += bytes[digit];
      const auto left = end - digit - 1;
      text += left > 0 && left % 3 == 0 && end - at <= 9 ? thousands : "";
    }
    text += style == NumberStyle::comma_decimals ? "," : ".";
    text.append(bytes, end + 1, last - end - 1);
    at = last - 1;
  }
  return text;
}

Program::Program(std::uint64_t seed)
    : random_(seed * 0x9E3779B97F4A7C15ULL + 1), dimensions_(seed * 0x9E3779B97F4A7C15ULL + 2) {
  const bool terminal = chance(0.25);
  if (terminal) {
    out = err = progress::Stream::terminal;
  }
  now_s = 0;
}

double Program::real(double low, double high) {
  return low + (high - low) * (static_cast<double>(random_() >> 11U) * 0x1.0p-53);
}

double Program::spread(double low, double high) {
  return std::exp(real(std::log(low), std::log(high)));
}

std::int64_t Program::whole(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

bool Program::dimension(double probability) {
  return static_cast<double>(dimensions_() >> 11U) * 0x1.0p-53 < probability;
}

void Program::choose_numbers() {
  const bool of_code =  // JSON, Python
      std::ranges::any_of(text.pieces, [](const auto& piece) {
        return piece.bytes.find('{') != std::string::npos;
      });
  if (of_code || !dimension(0.2)) {
    return;
  }
  const auto style = static_cast<NumberStyle>(dimensions_() % 3);
  if (text.commas_separate && style != NumberStyle::apostrophes) {
    return;
  }
  kind(style == NumberStyle::comma_decimals    ? "decimal commas"
       : style == NumberStyle::comma_thousands ? "commas between thousands"
                                               : "apostrophes between thousands");
  for (auto& piece : text.pieces) {
    piece.bytes = in_numbers_of(piece.bytes, style);
  }
}

bool Program::chance(double probability) {
  return real(0, 1) < probability;
}

std::string Program::number(double low, double high, int digits) {
  for (;;) {
    auto words = fmt::format("{:.{}f}", real(low, high), digits);
    if (!of_noise(std::stod(words)) && std::stod(words) != 0) {
      return words;
    }
  }
}

void Program::use_stamps(double longest_pause_s) {
  do {
    style_ = static_cast<int>(whole(0, stamp_styles - 1));
  } while (without_day(style_) && longest_pause_s > 40000);
  if (dimension(0.15)) {
    style_ = first_day_first + static_cast<int>(dimensions_() % 5);
    kind("the day first");
  }
  text.stamp_resolution_s = stamps[style_].resolution_s;
}

void Program::use_stamp_style(int style) {
  style_ = style;
  text.stamp_resolution_s = stamps[style_].resolution_s;
}

void Program::use_ranks(int ranks) {
  ranks_ = ranks;
  label_ = static_cast<int>(whole(0, 3));
  text.live_resolution_s += 0.02;
  kind(fmt::format("{} ranks", ranks));
}

void Program::put(progress::Stream stream, std::string bytes) {
  if (stream == progress::Stream::terminal) {
    std::string translated;
    for (const char c : bytes) {
      translated += c == '\n' ? "\r\n" : std::string(1, c);
    }
    bytes = translated;
  }
  text.pieces.push_back({now_s, stream, std::move(bytes)});
}

void Program::line(std::string_view words) {
  for (int rank = 0; rank < ranks_; ++rank) {
    std::string label;
    if (ranks_ > 1) {
      label = label_ == 0   ? ""
              : label_ == 1 ? fmt::format("{}: ", rank)  // srun --label
              : label_ == 2 ? fmt::format("[rank{}]: ", rank)
                            : fmt::format("[default{}]:", rank);  // torchrun --tee 3
    }
    now_s += rank > 0 ? 0.001 : 0;
    if (style_ >= 0) {
      if (!first_stamp_printed_) {
        first_stamp_printed_ = true;
        text.first_stamp_s = now_s;
      }
      label += stamp(style_, now_s);
    }
    put(out, fmt::format("{}{}\n", label, words));
  }
}

void Program::plain(std::string_view words) {
  put(out, fmt::format("{}\n", words));
}

void Program::bytes(std::string_view words) {
  put(err, std::string(words));
}

std::string tqdm_time(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds);
  return s >= 3600 ? fmt::format("{}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{:02d}:{:02d}", s / 60, s % 60);
}

void Program::bar(std::string_view head, std::int64_t step, std::int64_t steps, double elapsed_s,
                  std::string_view postfix) {
  const double rate = step > 0 ? static_cast<double>(step) / std::max(elapsed_s, 1e-3) : 0;
  const auto rate_text = step == 0  ? std::string("?it/s")
                         : rate < 1 ? fmt::format("{:5.2f}s/it", 1 / rate)
                                    : fmt::format("{:5.2f}it/s", rate);
  const auto left = step == 0 ? "?" : tqdm_time(static_cast<double>(steps - step) / rate);
  std::string blocks;
  for (std::int64_t i = 0; i < 10; ++i) {
    blocks += i < 10 * step / steps ? "█" : " ";
  }
  bytes(fmt::format("\r{}{}{:3d}%|{}| {}/{} [{}<{}, {}{}{}]", head, head.empty() ? "" : ": ",
                    100 * step / steps, blocks, step, steps, tqdm_time(elapsed_s), left, rate_text,
                    postfix.empty() ? "" : ", ", postfix));
}

void Program::other_bar() {
  const auto name = pick({"Downloading", "Tokenizing", "Map", "Loading checkpoint shards", "Filter",
                          "Generating train split", "Scanning", "Loading data", "Extracting",
                          "Fetching 4 files", "Preprocessing"});
  const auto steps = whole(2, 600);
  const double seconds = spread(0.2, 30);
  for (int part = 0; part <= 4; ++part) {
    bar(name, steps * part / 4, steps, seconds * part / 4);
    wait(part < 4 ? seconds / 4 : 0);
  }
  bytes("\n");
}

void Program::noise(double probability) {
  while (chance(probability)) {
    const auto* words = noise_lines[whole(0, std::ssize(noise_lines) - 1)];
    chance(0.7) || !stamped() ? line(words) : plain(words);
  }
}

void Program::start_lines() {
  line(pick({"Namespace(batch_size=7341, lr=0.7341, data='data')", "Loading data ...",
             "using device cuda:0", "Setting up", "model has 7341 parameters",
             "{\"lr\": 0.7341, \"batch_size\": 7341}"}));
}

void Program::restart(double pause_s, std::int64_t epoch) {
  wait(pause_s);
  begun_s_ = now_s;
  line(pick({"Loading data ...", "job 7341 starts", "Setting up", "using device cuda:0"}));
  wait(spread(0.1, 5));
  line(fmt::format("=> loaded checkpoint 'out/last.pt' (epoch {})", epoch));
}

TrueEpoch& Program::epoch(std::int64_t number) {
  text.epochs.push_back({});
  text.epochs.back().epoch = number;
  return text.epochs.back();
}

Plan::Plan(Program& p, bool steps_only) {
  total = p.whole(2, 12);
  if (!steps_only && p.chance(0.12)) {
    first = p.whole(1, 40);
    total += first;
    p.kind("resumed");
  }
  end = total;
  if (p.chance(0.25)) {
    end = p.whole(first + 1, total - 1 > first ? total - 1 : total);
    part = end < total && p.chance(0.6);
    if (end < total) {
      p.kind("ends early");
    }
  }
  steps = p.whole(4, 40);
  every = p.whole(1, 10);
  if (every > steps / 2) {
    every = 1;
  }
  step_s = p.spread(0.1, 60);
  evaluate_s = p.chance(0.6) ? std::max(0.3, step_s * p.real(0.5, 10)) : 0;
  if (!steps_only && end - first >= 4 && p.chance(0.12)) {
    interrupted = p.whole(first + 2, end - 2);
    pause_s = std::max(p.spread(600, 40000), 20 * step_s * static_cast<double>(steps));
    repeats = p.chance(0.6);
    p.kind("interrupted");
  }
}

void Plan::from_the_start() {
  interrupted = -1;
  total -= first;
  end -= first;
  first = 0;
}

double Plan::longest_s() const {
  return std::max(pause_s, step_s * static_cast<double>(steps) + evaluate_s);
}

}  // namespace epochcast::tests
