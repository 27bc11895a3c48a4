// A program outside the tree: reads a checkpoint through the installed headers and libraries.
#include <cstdio>
#include <runtime/engine/engine.hpp>
#include <runtime/formats/checkpoint.hpp>

int main(int, char** arguments) {
  const monomorph::Checkpoint checkpoint = monomorph::Checkpoint::open(arguments[1]);
  const monomorph::CheckpointTensor* embedding = checkpoint.find("model.embed_tokens.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) return 1;
  std::printf("%lld x %lld\n", static_cast<long long>(embedding->shape[0]),
              static_cast<long long>(embedding->shape[1]));
  return 0;
}
