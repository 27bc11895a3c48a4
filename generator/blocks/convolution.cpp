#include "generator/blocks/convolution.hpp"

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t max_conv_kernel = 64;  // positions that a kernel reads one after the other

}  // namespace

void check_conv_kernel(const Field<std::int64_t>& conv_kernel, const std::string& path, Diagnostics& diagnostics) {
  check_range(conv_kernel, path, 1, max_conv_kernel, diagnostics);
}

void declare_convolutions(const std::vector<Convolution>& all, const Field<std::int64_t>& conv_kernel,
                          const Field<Biases>& bias, Declarations& declare) {
  const std::int64_t positions = sane(conv_kernel, max_conv_kernel);
  const AxisId tap = declare.axis("tap", positions, conv_kernel.span);
  std::vector<Projection> projections;
  for (const auto& [word, channels] : all) {
    const std::int64_t taps = declare.contract().axes[channels].size * positions;
    const std::string name = word == "conv" ? "taps" : word + "_taps";
    const AxisId numbers = declare.axis(name, taps, conv_kernel.span, {channels, tap});
    projections.push_back({.word = word, .rows = channels, .columns = tap, .numbers = numbers});
  }
  declare.projections(convolution_input, bias, projections);
  for (const auto& [word, channels] : all) {
    const std::vector<AxisId> factors = declare.contract().axes[channels].factors;
    declare.state(word + "_inputs", factors[0], factors[1], Dtype::f32, {positions, 0});
  }
}

ValueId build_convolution(const std::string& word, Builder& build, ValueId in, const std::string& role) {
  return build.convolve(word, build.append(word + "_inputs", in), in, role);
}

}  // namespace monomorph::generator
