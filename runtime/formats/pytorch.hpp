// Weights as PyTorch writes them (pytorch_model.bin, .pt, .pth): pickles, which run code where they are read, and are
// not read here. Who brings them is told what they are, and how they become what is read.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace monomorph {

/// Whether a file's first bytes are those of a zip archive or a pickle by PyTorch.
bool is_pytorch(std::span<const std::byte> bytes);
/// Whether a file is called as such files are.
bool is_pytorch_name(std::string_view name);

inline constexpr std::string_view pytorch_remedy =
    "these are PyTorch's weights, which are not read; safetensors and GGUF are: convert them with transformers, "
    "AutoModelForCausalLM.from_pretrained(DIR).save_pretrained(DIR), or with llama.cpp's convert_hf_to_gguf.py";

}  // namespace monomorph
