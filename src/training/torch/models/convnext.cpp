// ConvNeXt in its published sizes.
#include "src/training/torch/families/convnext.hpp"

namespace epochcast::libtorch::models {

/// ConvNeXt tiny (Liu et al., 2022): 28,589,128 parameters.
ModelSpec convnext_tiny() {
  return convnext_model("ConvNeXt tiny: 18 blocks of 96 to 768 channels, an image classifier", {},
                        ConvnextVersion::v1);
}

/// ConvNeXt small (Liu et al., 2022): 50,223,688 parameters.
ModelSpec convnext_small() {
  return convnext_model("ConvNeXt small: 36 blocks of 96 to 768 channels, an image classifier",
                        {.depths = {3, 3, 27, 3}}, ConvnextVersion::v1);
}

/// ConvNeXt V2 nano (Woo et al., 2023): 15,623,800 parameters.
ModelSpec convnextv2_nano() {
  return convnext_model("ConvNeXt V2 nano: 14 blocks of 80 to 640 channels, an image classifier",
                        {.depths = {2, 2, 8, 2}, .width = 80}, ConvnextVersion::v2);
}

/// ConvNeXt V2 tiny (Woo et al., 2023): 28,635,496 parameters.
ModelSpec convnextv2_tiny() {
  return convnext_model("ConvNeXt V2 tiny: 18 blocks of 96 to 768 channels, an image classifier",
                        {}, ConvnextVersion::v2);
}

}  // namespace epochcast::libtorch::models
