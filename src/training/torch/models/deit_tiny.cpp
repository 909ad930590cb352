// DeiT tiny (Touvron et al., 2021), a ViT: 5,717,416 parameters.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

ModelSpec deit_tiny() {
  return vision_model("DeiT tiny: 12 layers of 192, an image classifier",
                      {.hidden = 192, .heads = 3}, VisionKind::deit);
}

}  // namespace epochcast::libtorch::models
