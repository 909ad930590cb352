// ConvNeXt tiny (Liu et al., 2022): 28,589,128 parameters.
#include "src/training/torch/families/convnext.hpp"

namespace epochcast::libtorch::models {

ModelSpec convnext_tiny() {
  return convnext_model("ConvNeXt tiny: 18 blocks of 96 to 768 channels, an image classifier", {},
                        ConvnextVersion::v1);
}

}  // namespace epochcast::libtorch::models
