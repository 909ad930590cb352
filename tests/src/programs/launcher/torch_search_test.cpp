#include "src/programs/launcher/torch_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "tests/files.hpp"

namespace epochcast::launcher {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class TorchSearch : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto* series : {"2.11", "2.7"}) {
      put(fs::path("programs") / (std::string("epochcast-train-") + series), "");
    }
    put("programs/epochcast-jobs", "");
  }

  void put(const fs::path& file, const std::string& text) {
    fs::create_directories((at("") / file).parent_path());
    set_bytes(at(file), text);
  }

  /// A wheel's torch folder of this version.
  fs::path wheel(const std::string& folder, const std::string& version) {
    put(folder + "/lib/libtorch_cpu.so", "");
    put(folder + "/version.py",
        "from typing import Optional\n__all__ = ['__version__', 'debug']\n__version__ = '" +
            version + "'\ncuda: Optional[str] = None\n");
    return at(folder);
  }

  fs::path at(const fs::path& file) const { return fs::path(folder_.path()) / file; }

  std::string refusal(const std::function<void()>& act) const {
    try {
      act();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(TorchSearch, FindsAWheelTheFolderAboveItAndTheArchiveOfPytorchOrg) {
  const auto torch = wheel("site/torch", "2.11.0+cu130");
  for (const auto& folder : {torch, at("site")}) {
    const auto found = torch_in({folder, "--torch"}).value();
    EXPECT_EQ(found.version, "2.11.0+cu130");
    EXPECT_EQ(found.series(), "2.11");
    EXPECT_EQ(found.libraries, torch / "lib");
    EXPECT_EQ(trainer_for(found, at("programs")), at("programs/epochcast-train-2.11"));
  }
  put("libtorch/lib/libtorch_cpu.so", "");
  put("libtorch/build-version", "2.7.1+cpu\n");
  const auto found = torch_in({at("libtorch"), "EPOCHCAST_TORCH"}).value();
  EXPECT_EQ(found.version, "2.7.1+cpu");
  EXPECT_EQ(trainer_for(found, at("programs")), at("programs/epochcast-train-2.7"));
}

TEST_F(TorchSearch, LooksInThePackagesOfTheEnvironmentThatHasThePrograms) {
  const auto torch = wheel("venv/lib/python3.12/site-packages/torch", "2.11.0");
  std::vector<Candidate> candidates;
  for (const auto& folder : site_packages(at("venv"))) {
    candidates.push_back({folder, "beside epochcast", false});
  }
  EXPECT_EQ(find_torch(candidates).value().libraries, torch / "lib");
  const auto target = wheel("target/torch", "2.11.0");  // pip install --target
  EXPECT_EQ(find_torch({{site_packages(at("target")).front(), "", false}}).value().libraries,
            target / "lib");
  EXPECT_THAT(site_packages(at("nowhere")), testing::ElementsAre(at("nowhere")));
}

TEST_F(TorchSearch, NvidiasWheelsBesideLibTorchAreInTheLibraryPath) {
  const auto torch = wheel("site/torch", "2.7.1");
  EXPECT_EQ(torch_in({torch, "--torch"}).value().library_path(), at("site/torch/lib"));
  put("site/nvidia/cudnn/lib/libcudnn.so.9", "");
  put("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
  put("site/nvidia/headers/include/cuda.h", "");
  EXPECT_EQ(torch_in({torch, "--torch"}).value().library_path(),
            at("site/torch/lib").string() + ":" + at("site/nvidia/cuda_nvrtc/lib").string() + ":" +
                at("site/nvidia/cudnn/lib").string());
}

TEST_F(TorchSearch, TakesTheFirstAndNoOtherWhereTheUserNamedOne) {
  wheel("a/torch", "2.7.1");
  wheel("b/torch", "2.11.0");
  const Candidate missing{at("nowhere"), "lib/torch of the archive", false};
  EXPECT_EQ(find_torch({missing, {at("b"), "python3"}, {at("a"), "x"}}).value().version, "2.11.0");
  EXPECT_FALSE(find_torch({missing}).has_value());
  EXPECT_THAT(refusal([&] {
                (void)find_torch({{at("nowhere"), "EPOCHCAST_TORCH"}, {at("a"), "x"}});
              }),
              testing::AllOf(testing::StartsWith("EPOCHCAST_TORCH: found no lib/libtorch_cpu.so"),
                             HasSubstr(at("nowhere").string())));
}

TEST_F(TorchSearch, ReportsInOneLineWhatItFoundWhatItNeedsAndTheCommand) {
  const auto trainer = [&](const std::optional<Torch>& torch) {
    return refusal([&] { (void)trainer_for(torch, at("programs")); });
  };
  EXPECT_THAT(trainer(std::nullopt),
              testing::AllOf(HasSubstr("found no LibTorch"),
                             HasSubstr("needs LibTorch 2.11 or 2.7; to get it: python3 -m pip "
                                       "install --target ~/epochcast-torch torch==2.11.*"),
                             Not(HasSubstr("\n"))));
  const auto old = torch_in({wheel("old", "2.5.1+cu121"), "--torch"});
  EXPECT_THAT(trainer(old), HasSubstr("found LibTorch 2.5.1+cu121 in " + at("old").string() +
                                      " (--torch); this archive needs LibTorch 2.11 or 2.7"));
  wheel("abi", "2.7.1");
  put("abi/share/cmake/Torch/TorchConfig.cmake",
      "set(TORCH_CXX_FLAGS \"-D_GLIBCXX_USE_CXX11_ABI=0\")");
  EXPECT_THAT(trainer(torch_in({at("abi"), "--torch"})), HasSubstr("old C++ ABI"));
}

TEST_F(TorchSearch, AVersionThatCannotBeReadIsUnknown) {
  for (const auto* text : {"", "__version__ =", "__version__ = '", "x = 'y'\n"}) {
    wheel("odd", "");
    put("odd/version.py", text);
    const auto torch = torch_in({at("odd"), "--torch"});
    EXPECT_THAT(refusal([&] { (void)trainer_for(torch, at("programs")); }),
                HasSubstr("LibTorch of unknown version"))
        << text;
  }
}

}  // namespace
}  // namespace epochcast::launcher
