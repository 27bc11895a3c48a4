#include "runtime/formats/weights_config.hpp"

#include <filesystem>
#include <fstream>

#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/gguf_config.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/formats/sentence_transformers.hpp"

namespace monomorph {

namespace fs = std::filesystem;

std::optional<WeightsConfig> find_config(const std::string& weights) {
  std::error_code error;
  const fs::path path(weights);
  std::optional<Checkpoint> checkpoint;
  try {
    if (find_checkpoint(path).extension() == ".gguf") checkpoint = Checkpoint::open(path);
  } catch (const Error&) {  // whoever reads the weights says it
  }
  if (checkpoint && checkpoint->gguf() != nullptr) {
    return WeightsConfig{checkpoint->files().front().string(), gguf_config(*checkpoint), true};
  }
  const fs::path config = (fs::is_directory(path, error) ? path : path.parent_path()) / "config.json";
  if (!fs::is_regular_file(config, error)) return std::nullopt;
  std::ifstream file(config, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(ErrorKind::environment, config.string() + ": this file cannot be read");
  return WeightsConfig{config.string(), with_sentence_transformers(with_words_quoted(text), config.parent_path()),
                       false};
}

}  // namespace monomorph
