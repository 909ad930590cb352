// ConvNeXt V2 nano (Woo et al., 2023): 15,623,800 parameters.
#include "src/training/torch/families/convnext.hpp"

namespace epochcast::libtorch::models {

ModelSpec convnextv2_nano() {
  return convnext_model("ConvNeXt V2 nano: 14 blocks of 80 to 640 channels, an image classifier",
                        {.depths = {2, 2, 8, 2}, .width = 80}, ConvnextVersion::v2);
}

}  // namespace epochcast::libtorch::models
