// Files of torch.save: what PyTorch writes is read, whatever else gives one line; nothing in a file
// is run.
#include "src/training/weights/torch_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <sstream>
#include <vector>

#include "src/base/process/command.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"
#include "tests/python.hpp"

namespace epochcast::weights {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> torch_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string little(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i, value >>= 8U) {
    bytes += static_cast<char>(value & 0xffU);
  }
  return bytes;
}

/// A zip file of stored entries, as small as the format allows; `zip64`: with the sizes and places
/// of files above 4 GB.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries, int method = 0,
                   bool zip64 = false) {
  std::string file;
  std::string list;
  const auto in_list = [&](std::size_t value) { return little(zip64 ? 0xffffffff : value, 4); };
  for (const auto& [name, bytes] : entries) {
    const auto begin = little(0, 2) + little(method, 2) + little(0, 8);
    const auto extra = zip64 ? little(1, 2) + little(24, 2) + little(bytes.size(), 8) +
                                   little(bytes.size(), 8) + little(file.size(), 8)
                             : "";
    list += "PK\x01\x02" + little(0, 4) + begin + in_list(bytes.size()) + in_list(bytes.size()) +
            little(name.size(), 2) + little(extra.size(), 2) + little(0, 10) +
            in_list(file.size()) + name + extra;
    file += "PK\x03\x04" + little(0, 2) + begin + little(bytes.size(), 4) +
            little(bytes.size(), 4) + little(name.size(), 2) + little(0, 2) + name + bytes;
  }
  std::string end;
  if (zip64) {
    end = "PK\x06\x06" + little(44, 8) + little(0, 12) + little(entries.size(), 8) +
          little(entries.size(), 8) + little(list.size(), 8) + little(file.size(), 8) +
          "PK\x06\x07" + little(0, 4) + little(file.size() + list.size(), 8) + little(1, 4);
  }
  const auto count = zip64 ? 0xffff : entries.size();
  return file + list + end + "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) +
         in_list(list.size()) + in_list(file.size()) + little(0, 2);
}

std::string text(const std::string& text) {
  return "X" + little(text.size(), 4) + text;
}

std::string name(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

/// The pickle of torch._utils._rebuild_tensor_v2(storage "0", offset, shape, strides, ...).
std::string tensor(const std::string& offset, const std::string& shape, const std::string& strides,
                   const std::string& type = "FloatStorage") {
  return name("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") + name("torch", type) +
         text("0") + text("cpu") + "K\x06tQ" + offset + shape + strides + "\x89" +
         name("collections", "OrderedDict") + ")RtR";
}

std::string at(int offset) {
  return "K" + little(static_cast<std::uint64_t>(offset), 1);
}

/// {"w": <a tensor of 2 x 3>}
std::string weights_pickle(const std::string& tensor_w) {
  return "\x80\x02}q" + little(0, 1) + text("w") + tensor_w + "s.";
}

std::string sample_tensor() {
  return tensor(at(0), "K\x02K\x03\x86", "K\x03K\x01\x86");
}

std::string file_of(const std::string& pickle, std::size_t storage_bytes = 24) {
  return zip_of({{"archive/data.pkl", pickle},
                 {"archive/byteorder", "little"},
                 {"archive/data/0", std::string(storage_bytes, 'n')},
                 {"archive/version", "3\n"}});
}

std::string torch_error(const std::string& file) {
  return error_of([&] { parse_torch_file(torch_bytes(file), "a.bin"); });
}

TEST(TorchFile, ASmallOneIsRead) {
  const auto file = file_of(weights_pickle(sample_tensor()));
  const auto content = parse_torch_file(torch_bytes(file), "a.bin");
  ASSERT_EQ(content.tensors.size(), 1U);
  EXPECT_EQ(content.tensors[0].name, "w");
  EXPECT_THAT(content.tensors[0].shape, ElementsAre(2, 3));
  EXPECT_EQ(content.tensors[0].type, DataType::f32);
  EXPECT_EQ(content.tensors[0].bytes.size(), 24U);
}

TEST(TorchFile, SizesOfFilesAbove4GBAreRead) {
  const auto file =
      zip_of({{"a/data.pkl", weights_pickle(sample_tensor())}, {"a/data/0", std::string(24, 'n')}},
             0, true);
  EXPECT_EQ(parse_torch_file(torch_bytes(file), "a.bin").tensors.at(0).bytes[0], std::byte{'n'});
  EXPECT_THAT(torch_error(file.substr(0, file.size() - 60) + file.substr(file.size() - 42)),
              HasSubstr("a.bin: "));
}

TEST(TorchFile, DamagedPartsAreNamedInOneLine) {
  const auto pickled = [](const std::string& pickle, std::size_t bytes = 24) {
    return torch_error(file_of(pickle, bytes));
  };
  EXPECT_THAT(torch_error("PK\x03\x04"), HasSubstr("a.bin: found no end of a zip file"));
  EXPECT_THAT(torch_error(zip_of({{"a/other", ""}})), HasSubstr("has no data.pkl"));
  EXPECT_THAT(torch_error(zip_of({{"a/data.pkl", "x"}}, 8)), HasSubstr("is compressed"));
  EXPECT_THAT(torch_error(zip_of({{"a/data.pkl", "x"}, {"a/data.pkl", "y"}})), HasSubstr("twice"));
  EXPECT_THAT(torch_error(zip_of({{"a/data.pkl", "."}, {"a/byteorder", "big"}})),
              HasSubstr("byteorder is not little"));
  EXPECT_THAT(pickled("}."), HasSubstr("has no tensors by name"));
  EXPECT_THAT(pickled("\x80\x02}"), HasSubstr("found the end of the pickle"));
  EXPECT_THAT(pickled("."), HasSubstr("found nothing on the stack"));
  EXPECT_THAT(pickled("\x80\x09."), HasSubstr("found protocol 9, expected 2 to 5"));
  EXPECT_THAT(pickled("h" + little(7, 1)), HasSubstr("found the memo 7, which was not stored"));
  EXPECT_THAT(pickled("\x81"), HasSubstr("found the instruction 0x81"));
  EXPECT_THAT(pickled(weights_pickle(sample_tensor()), 20),
              HasSubstr("tensor \"w\": needs 6 numbers from place 0, its storage has 5"));
  EXPECT_THAT(pickled(weights_pickle(tensor(at(1), "K\x02K\x03\x86", "K\x03K\x01\x86"))),
              HasSubstr("needs 6 numbers from place 1, its storage has 6"));
  EXPECT_THAT(pickled(weights_pickle(tensor(at(0), "K\x02K\x03\x86", "K\x01K\x02\x86"))),
              HasSubstr("is not stored row by row"));
  EXPECT_THAT(
      pickled(weights_pickle(tensor(at(0), "K\x02K\x03\x86", "K\x03K\x01\x86", "QInt8Storage"))),
      HasSubstr("QInt8Storage\", which is not read"));
  EXPECT_THAT(
      pickled(weights_pickle(tensor("J" + little(0xffffffff, 4), "K\x06\x85", "K\x01\x85"))),
      HasSubstr("from place -1"));
  const auto large = "\x8a\x08" + little(std::uint64_t{1} << 62U, 8);
  EXPECT_THAT(pickled(weights_pickle(tensor(at(0), large + large + "\x86", "K\x03K\x01\x86"))),
              AllOf(HasSubstr("tensor \"w\": "), testing::Not(HasSubstr("\n"))));
}

TEST(TorchFile, NamesOfAnythingElseAreRefusedAndNothingIsRun) {
  for (const auto& [module, function] : {std::pair{"posix", "system"},
                                         {"os", "system"},
                                         {"builtins", "eval"},
                                         {"torch", "load"},
                                         {"torch.hub", "load"},
                                         {"collections", "Counter"}}) {
    const auto call = name(module, function) + "(" + text("touch /tmp/x") + "tR.";
    EXPECT_THAT(torch_error(file_of(call)),
                HasSubstr(fmt::format("names \"{}\".\"{}\"", module, function)));
    const auto by_stack = "\x80\x04" + text(module) + text(function) + "\x93.";
    EXPECT_THAT(torch_error(file_of(by_stack)), HasSubstr("nothing is run"));
  }
  EXPECT_THAT(torch_error(file_of(name("collections", "OrderedDict") + "(" + text("x") + "tR.")),
              HasSubstr("calls \"collections OrderedDict\" with 1 arguments"));
  EXPECT_THAT(torch_error(file_of(name("torch", "FloatStorage") + "(K\x01tR.")),
              HasSubstr("calls \"torch FloatStorage\""));
}

/// Each would need gigabytes, or the stack of a million calls, in a reader that trusts it.
TEST(TorchFile, BombsAreRefusedOrHarmless) {
  const std::string many(1'100'000, ')');
  EXPECT_THAT(torch_error(file_of(many + ".")), HasSubstr("found more than 1000000 values"));
  std::string nested = ")";
  nested.append(900'000, '\x85');
  EXPECT_THAT(torch_error(file_of(nested + ".")), HasSubstr("has no tensors"));
  std::string long_tuple = "(";
  for (int i = 0; i < 100'000; ++i) {
    long_tuple += "N";
  }
  long_tuple += "tq" + little(1, 1) + "0";
  std::string repeated = long_tuple;
  for (int i = 0; i < 100'000; ++i) {
    repeated += name("torch._utils", "_rebuild_tensor_v2") + "h\x01R0";
  }
  EXPECT_THAT(torch_error(file_of(repeated + "}.")), HasSubstr("found 100000 parts"));
  std::string cycle = "]q" + little(1, 1) + "h\x01" + "a.";
  EXPECT_THAT(torch_error(file_of(cycle)), HasSubstr("has no tensors"));
}

class TorchFileFuzz : public testing::Test {};

TEST_F(TorchFileFuzz, DamagedFilesGiveTensorsInsideOrOneLine) {
  const auto whole = file_of(weights_pickle(sample_tensor()));
  tests::Damage damage(
      20261123,
      {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07", little(0xffffffff, 4),
       little(0, 8), "R",          "Q",          "t",          "(",          "}",
       "]",          "u",          "s",          "e",          "\x85",       "\x8a\x08",
       "K",          "b",          "X"});
  tests::fuzz(tests::fuzz_inputs(20'000), "a.bin", [&] {
    const auto file = damage.of(whole);
    const auto content = parse_torch_file(torch_bytes(file), "a.bin");
    for (const auto& view : content.tensors) {
      const auto* begin = reinterpret_cast<const std::byte*>(file.data());  // NOLINT: bytes
      EXPECT_GE(view.bytes.data(), begin);
      EXPECT_LE(view.bytes.data() + view.bytes.size(), begin + file.size());
    }
  });
}

class TorchFileOfPython : public testing::Test {
 protected:
  /// Runs the lines with PyTorch, or with Python alone, in a folder of its own.
  void python(const std::string& lines, const std::string& modules) {
    const auto interpreter = tests::python_with(modules);
    if (!interpreter) {
      GTEST_SKIP() << "no Python with " << modules << ": env/deps python";
    }
    const auto script = folder_ / "script.py";
    set_bytes(script, "import os\nos.chdir('" + folder_.path() + "')\n" + lines);
    const auto result = process::run_command({*interpreter, script}, 120);
    ASSERT_TRUE(result.ok()) << result.err;
  }

  TemporaryFolder folder_;
};

TEST_F(TorchFileOfPython, WhatTorchSavesIsReadToTheByte) {
  python(R"py(
import torch, collections
torch.manual_seed(1)
base = torch.randn(4, 6)
state = collections.OrderedDict(
    float=base, half=base.half(), bfloat=base.bfloat16(), double=base.double(),
    long=torch.arange(5), int=torch.arange(5, dtype=torch.int32), short=torch.arange(3, dtype=torch.int16),
    char=torch.tensor([-1, 2], dtype=torch.int8), byte=torch.tensor([255, 0], dtype=torch.uint8),
    bool=torch.tensor([True, False, True]), scalar=torch.tensor(2.5), empty=torch.empty(2, 0, 5),
    part=base[1:3], parameter=torch.nn.Parameter(base[0].clone()), one_column=base[:, :1].contiguous())
torch.save(state, 'state.bin')
torch.save(dict(state), 'plain.pt', pickle_protocol=4)
torch.save({'epoch': 3, 'loss': 0.5, 'model_state_dict': state, 'flags': [True, None, (1, -70000, 2**40)]}, 'checkpoint.pt')
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
torch.save(model.state_dict(), 'module.bin')
torch.save({'x': base.t()}, 'transposed.bin')
torch.save(model, 'whole.bin')
torch.save(state, 'old.bin', _use_new_zipfile_serialization=False)
with open('expected.txt', 'w') as out:
    for name, t in state.items():
        t = t.detach().contiguous()
        out.write(f"{name} {list(t.shape)} {bytes(t.view(torch.uint8).numpy().tobytes() if t.dim() and t.numel() else t.numpy().tobytes()).hex()}\n")
)py",
         "torch, numpy");
  if (IsSkipped()) {
    return;
  }
  const auto lines_of = [&](const std::string& file) {
    const WeightsFile weights(folder_ / file);
    std::map<std::string, std::string> lines;
    for (const auto& view : weights.tensors()) {
      std::string line = view.name + " [" + fmt::format("{}", fmt::join(view.shape, ", ")) + "] ";
      for (const auto byte : view.bytes) {
        line += fmt::format("{:02x}", std::to_integer<int>(byte));
      }
      lines[view.name] = line;
    }
    return lines;
  };
  std::map<std::string, std::string> expected;
  std::istringstream stream(bytes_of(folder_ / "expected.txt"));
  for (std::string line; std::getline(stream, line);) {
    expected[line.substr(0, line.find(' '))] = line;
  }
  ASSERT_EQ(expected.size(), 15U);
  for (const auto* file : {"state.bin", "plain.pt", "checkpoint.pt"}) {
    EXPECT_EQ(lines_of(file), expected) << file;
  }
  EXPECT_EQ(lines_of("module.bin").size(), 7U) << "weight, bias, and five of the normalization";
  const auto refusal = [&](const std::string& file) {
    return error_of([&] { WeightsFile{folder_ / file}; });
  };
  EXPECT_THAT(refusal("transposed.bin"), HasSubstr("tensor \"x\": is not stored row by row"));
  EXPECT_THAT(refusal("whole.bin"),
              HasSubstr("names \"torch.nn.modules.container\".\"Sequential\""));
  EXPECT_THAT(refusal("old.bin"), HasSubstr("PyTorch before 1.6"));
}

TEST_F(TorchFileOfPython, APickleThatCallsAFunctionIsRefusedAndNotRun) {
  python(R"py(
import pickle, subprocess, zipfile
class Hostile:
    def __init__(self, call, *arguments):
        self.call, self.arguments = call, arguments
    def __reduce__(self):
        return self.call, self.arguments
for number, (call, *arguments) in enumerate([
        (os.system, 'touch ran'), (eval, "open('ran', 'w')"), (exec, "open('ran', 'w')"),
        (__import__, 'antigravity'), (subprocess.run, ['touch', 'ran']), (open, 'ran', 'w')]):
    for protocol in (2, 4):
        with zipfile.ZipFile(f'{number}.{protocol}.bin', 'w') as file:
            file.writestr('archive/data.pkl', pickle.dumps({'w': Hostile(call, *arguments)}, protocol))
)py",
         "pickle, zipfile");
  if (IsSkipped()) {
    return;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".bin") {
      ++files;
      EXPECT_THAT(error_of([&] { WeightsFile{entry.path()}; }), HasSubstr("nothing is run"));
    }
  }
  EXPECT_EQ(files, 12);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

}  // namespace
}  // namespace epochcast::weights
