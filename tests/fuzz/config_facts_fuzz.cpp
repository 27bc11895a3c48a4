// Any text as the config.json beside an engine's weights: refused, or compared with the engine's facts.
#include <cstdint>

#include "runtime/error.hpp"
#include "runtime/formats/config_facts.hpp"

using namespace monomorph;

namespace {

/// Every form of a fact and every operator.
const char* const facts = R"json([{"architectures": ["TinyForCausalLM"], "model_type": "tiny",
  "keys": {"eps": [1e-6, "norm.eps", "norm.epsilon"], "size": [null], "heads": [4], "window": [null], "kinds": [null],
           "act": ["silu", "hidden_act"], "on": [true]},
  "facts": [
    ["norm.eps", "eps", [1e-5]],
    ["model.hidden_size", ["??", "size", ["*", "heads", 16]], [64]],
    ["attention.head_dim", ["floor", ["/", "size", "heads"]], [16, 16.0]],
    ["attention.scale", ["/", 1, ["sqrt", ["-", ["+", "size", 1], ["%", "heads", 3]]]], []],
    ["mlp.activation", ["?", ["&&", "on", ["!=", "act", "'gelu"]], "act", "'relu"], ["silu", "swish"]],
    ["attention.window", ["?", ["==", ["[]", "kinds", "i"], "'local"], "window", null], [null], [0, 2]],
    ["attention.window", ["?", ["||", ["!", "on"], [">=", "i", "kinds.length"]], null, "window"], [16], [1]],
    ["position.factor", ["max", ["min", "eps", 1], ["log", "size"]], [8]]],
  "only": {"slices": [1, 2.5], "norm.kind": ["rms"]},
  "refused": [[["<", "heads", ["%", "i", 3]], "", "heads", " heads in layer ", "i", ""],
              [["&&", [">", "heads", 8], ["<=", "size", 1]], "a size of ", "size", " does not run"]]}])json";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    compare_config({"config.json", {reinterpret_cast<const char*>(data), size}}, facts, 3, "tiny");
  } catch (const Error&) {
  }
  return 0;
}
