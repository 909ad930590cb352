// ViT base (Dosovitskiy et al., 2021), patches of 16, 224 pixels: 86,567,656 parameters.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

ModelSpec vit_base() {
  return vision_model("ViT base: 12 layers of 768, an image classifier", {}, VisionKind::vit);
}

}  // namespace epochcast::libtorch::models
