// DeiT small (Touvron et al., 2021), a ViT: 22,050,664 parameters.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

ModelSpec deit_small() {
  return vision_model("DeiT small: 12 layers of 384, an image classifier",
                      {.hidden = 384, .heads = 6}, VisionKind::deit);
}

}  // namespace epochcast::libtorch::models
