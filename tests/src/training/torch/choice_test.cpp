#include "src/training/torch/kernels/choice.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "src/training/torch/kernels/convolution.hpp"
#include "src/training/torch/kernels/linear.hpp"
#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Kernel sleeping{"sleep", "early", "late"};

class KernelChoices : public ::testing::Test {
 protected:
  ~KernelChoices() override { use_default_kernels(); }

  /// What is chosen between computations that take `usual` and `other` milliseconds.
  bool chosen(int size, int usual, int other, bool by_default = false) {
    const auto wait = [&](int milliseconds) {
      return [this, milliseconds] {
        ++runs_;
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      };
    };
    return other_is_faster({sleeping, {size}}, by_default, wait(usual), wait(other));
  }

  fs::path file() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".csv") {
        return entry.path();
      }
    }
    return {};
  }

  TemporaryFolder folder_;
  int runs_ = 0;
};

TEST_F(KernelChoices, AreTheDefaultsUnlessMeasured) {
  EXPECT_FALSE(chosen(1, 9, 0));
  EXPECT_TRUE(chosen(1, 0, 9, true));
  EXPECT_EQ(runs_, 0);
  EXPECT_THAT(take_kernel_choices(), IsEmpty());
}

TEST_F(KernelChoices, FollowTheTimesAndAreMeasuredOnce) {
  measure_kernels(folder_.path(), 2);
  EXPECT_TRUE(chosen(1, 20, 1));
  EXPECT_FALSE(chosen(2, 1, 20, true));
  const int measured = runs_;
  EXPECT_GE(measured, 8);
  EXPECT_GE(take_kernel_choice_s(), 2 * 2 * 0.02);  // each twice at least, 20 ms of them asleep
  EXPECT_TRUE(chosen(1, 20, 1));
  EXPECT_EQ(take_kernel_choice_s(), 0);
  EXPECT_EQ(runs_, measured);
  const auto made = take_kernel_choices();
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(made[0].chosen.view(), "late");
  EXPECT_EQ(made[0].rejected.view(), "early");
  EXPECT_LT(made[0].chosen_s, made[0].rejected_s);
  EXPECT_EQ(made[1].chosen.view(), "early");
  EXPECT_EQ(made[1].sizes.view(), "2");
  EXPECT_THAT(take_kernel_choices(), IsEmpty());
}

TEST_F(KernelChoices, AnotherRunUsesWhatIsInTheFile) {
  measure_kernels(folder_.path(), 2);
  EXPECT_TRUE(chosen(1, 20, 1));
  const auto first = take_kernel_choices();
  measure_kernels(folder_.path(), 2);
  runs_ = 0;
  EXPECT_TRUE(chosen(1, 1, 20)) << "not measured again";
  EXPECT_EQ(runs_, 0);
  const auto second = take_kernel_choices();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].measured_at.view(), first[0].measured_at.view());
  EXPECT_DOUBLE_EQ(second[0].chosen_s, first[0].chosen_s);
  measure_kernels(folder_.path(), 1);
  EXPECT_FALSE(chosen(1, 1, 20)) << "another number of threads has a file of its own";
}

TEST_F(KernelChoices, AreDefaultsWithANoteWhereTheyCannotBeKept) {
  const auto blocked = fs::path(folder_.path()) / "file";
  std::ofstream(blocked) << "not a folder";
  measure_kernels((blocked / "below").string(), 2);
  EXPECT_FALSE(chosen(1, 9, 0));
  EXPECT_THAT(kernel_choice_note(), HasSubstr("default kernels, not measured ones: "));
  EXPECT_EQ(runs_, 0);
}

TEST_F(KernelChoices, ADamagedFileIsNamedAndNotUsed) {
  measure_kernels(folder_.path(), 2);
  EXPECT_TRUE(chosen(1, 20, 1));
  std::ofstream(file(), std::ios::app) << "sleep,2,late\n";
  measure_kernels(folder_.path(), 2);
  EXPECT_FALSE(chosen(2, 20, 1));
  EXPECT_THAT(kernel_choice_note(), HasSubstr(file().string() + ":3: "));
}

/// Both ways compute the same values, up to rounding, whichever is chosen.
class BothWays : public ::testing::Test {
 protected:
  ~BothWays() override { use_default_kernels(); }

  /// Makes the choice `way` for everything that is asked.
  template <class Compute>
  torch::Tensor by(const std::string& way, const Compute& compute) {
    measure_kernels(folder_.path(), 1);
    compute();
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() != ".csv") {
        continue;
      }
      auto text = bytes_of(entry.path().string());
      for (const auto* other : {"mkl", "onednn", "libtorch", "matrix_product", "parity"}) {
        // the column `chosen` follows `sizes`, which has no comma
        for (std::size_t at = 0; (at = text.find("," + std::string(other) + ",", at)) != text.npos;
             at += way.size()) {
          text.replace(at + 1, std::string(other).size(), way);
        }
      }
      std::ofstream(entry.path()) << text;
    }
    measure_kernels(folder_.path(), 1);
    return compute();
  }

  TemporaryFolder folder_;
};

torch::Tensor gradients_of_linear() {
  torch::manual_seed(3);
  torch::nn::Linear layer(300, 200);
  const auto x = torch::randn({4, 100, 300}).requires_grad_();
  const auto y = linear(layer, x, Procedure::optimized);
  y.square().sum().backward();
  return torch::cat({y.flatten().detach(), x.grad().flatten(), layer->weight.grad().flatten(),
                     layer->bias.grad().flatten()});
}

torch::Tensor gradients_of_convolution(bool transposed) {
  torch::manual_seed(3);
  const auto weight = torch::randn({128, 64, 4, 4}).requires_grad_();
  const auto x = torch::randn({5, transposed ? 128 : 64, 8, 6}).requires_grad_();
  const auto y = convolve(x, weight, {.stride = 2, .padding = 1, .transposed = transposed});
  y.square().sum().backward();
  return torch::cat({y.detach().flatten(), x.grad().flatten(), weight.grad().flatten()});
}

TEST_F(BothWays, LinearLayersAgree) {
  const auto mkl = by("mkl", gradients_of_linear);
  const auto onednn = by("onednn", gradients_of_linear);
  EXPECT_TRUE(torch::allclose(mkl, onednn, 1e-4, 1e-3));
  use_default_kernels();
  EXPECT_TRUE(torch::allclose(mkl, gradients_of_linear(), 1e-4, 1e-3));
}

TEST_F(BothWays, ConvolutionsAgree) {
  for (const bool transposed : {false, true}) {
    const auto compute = [&] { return gradients_of_convolution(transposed); };
    const auto libtorch = by("libtorch", compute);
    const auto product = by("matrix_product", compute);
    EXPECT_TRUE(torch::allclose(libtorch, product, 1e-4, 1e-2)) << transposed;
    EXPECT_TRUE(torch::allclose(libtorch, by("parity", compute), 1e-4, 1e-2)) << transposed;
  }
}

}  // namespace
}  // namespace epochcast::libtorch
