// ConvNeXt V2 tiny (Woo et al., 2023): 28,635,496 parameters.
#include "src/training/torch/families/convnext.hpp"

namespace epochcast::libtorch::models {

ModelSpec convnextv2_tiny() {
  return convnext_model("ConvNeXt V2 tiny: 18 blocks of 96 to 768 channels, an image classifier",
                        {}, ConvnextVersion::v2);
}

}  // namespace epochcast::libtorch::models
