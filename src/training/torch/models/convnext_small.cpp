// ConvNeXt small (Liu et al., 2022): 50,223,688 parameters.
#include "src/training/torch/families/convnext.hpp"

namespace epochcast::libtorch::models {

ModelSpec convnext_small() {
  return convnext_model("ConvNeXt small: 36 blocks of 96 to 768 channels, an image classifier",
                        {.depths = {3, 3, 27, 3}}, ConvnextVersion::v1);
}

}  // namespace epochcast::libtorch::models
