#include "generator/blocks/embedding.hpp"

#include "generator/contract/declarations.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

void declare_embedding(const Spec& spec, Declarations& declare) {
  const ModelSection& model = spec.model;
  declare.enter_model("embedding");
  declare.matrix("tokens", declare.model_axis("vocab", sane(model.vocab_size), model.vocab_size.span),
                 declare.hidden());
  if (spec.position.type.value != "learned") return;
  const Field<std::int64_t>& positions = model.max_position_embeddings;
  declare.matrix("positions", declare.model_axis("position_embeddings", sane(positions), positions.span),
                 declare.hidden());
}

ValueId build_embedding(const Contract& contract, Builder& build) {
  const ValueId ids = build.host("token_ids", "tokens", contract.prefill_chunk, Live::tokens);
  const ValueId table = build.weight("embedding::tokens");
  if (!contract.learned_positions) return build.gather("embed", table, ids, "hidden_states");
  const ValueId positions = build.host("positions", "tokens", contract.prefill_chunk, Live::tokens);
  const ValueId placed =
      build.gather("embed_positions", build.weight("embedding::positions"), positions, "position_embeddings");
  return build.sum({placed, build.gather("embed", table, ids, "token_embeddings")}, "hidden_states");
}

void declare_head(const Spec& spec, Declarations& declare) {
  declare.enter_model("");
  declare.norm("final_norm", declare.hidden(), spec.norm.bias.value);
  if (spec.lm_head.tie_word_embeddings.value) return;
  const Field<std::int64_t>& vocab_size = spec.model.vocab_size;
  declare.matrix("lm_head", declare.model_axis("vocab", sane(vocab_size), vocab_size.span), declare.hidden());
}

ValueId build_head(const Contract& contract, Builder& build, ValueId hidden_states) {
  const ValueId rows = build.host("head_rows", "rows", contract.head_rows, Live::rows);
  const ValueId last = build.gather("rows", hidden_states, rows, "last_hidden_states");
  const ValueId normed = build.norm("final_norm", contract.final_norm, "final_norm", last, "final_hidden_states");
  return build.linear("lm_head", contract.tie_word_embeddings ? "embedding::tokens" : "lm_head", "", normed, "logits");
}

}  // namespace monomorph::generator
