// ViT and DeiT in their published sizes.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

/// ViT base (Dosovitskiy et al., 2021), patches of 16, 224 pixels: 86,567,656 parameters.
ModelSpec vit_base() {
  return vision_model("ViT base: 12 layers of 768, an image classifier", {}, VisionKind::vit);
}

/// DeiT tiny (Touvron et al., 2021), a ViT: 5,717,416 parameters.
ModelSpec deit_tiny() {
  return vision_model("DeiT tiny: 12 layers of 192, an image classifier",
                      {.hidden = 192, .heads = 3}, VisionKind::deit);
}

/// DeiT small (Touvron et al., 2021), a ViT: 22,050,664 parameters.
ModelSpec deit_small() {
  return vision_model("DeiT small: 12 layers of 384, an image classifier",
                      {.hidden = 384, .heads = 6}, VisionKind::deit);
}

/// DeiT base (Touvron et al., 2021): ViT base, trained otherwise. 86,567,656 parameters.
ModelSpec deit_base() {
  return vision_model("DeiT base: 12 layers of 768, an image classifier", {}, VisionKind::deit);
}

/// DeiT tiny, distilled (Touvron et al., 2021): 5,910,800 parameters.
ModelSpec deit_tiny_distilled() {
  return vision_model("DeiT tiny, distilled: 12 layers of 192 and two heads",
                      {.hidden = 192, .heads = 3}, VisionKind::distilled);
}

/// DeiT base, distilled (Touvron et al., 2021): 87,338,192 parameters.
ModelSpec deit_base_distilled() {
  return vision_model("DeiT base, distilled: 12 layers of 768 and two heads", {},
                      VisionKind::distilled);
}

}  // namespace epochcast::libtorch::models
