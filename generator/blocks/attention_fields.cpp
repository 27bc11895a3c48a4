// The rows of [attention].
#include <fmt/format.h>

#include "generator/blocks/attention.hpp"
#include "generator/spec/field_rows.hpp"

namespace monomorph::generator {

namespace {

std::string of_norm(const char* what) {
  return fmt::format(
      "Normalise {}, in place of what qk_norm says: true, false, or keys laid over those of [norm], with "
      "over = \"head\" or \"projection\", per_head and after_rotation",
      what);
}

}  // namespace

template <>
const std::vector<FieldRow<AttentionSection>>& fields() {
  using S = AttentionSection;
  static const std::vector<FieldRow<S>> rows = {
      row<S>(
          "causal", at(&S::causal), literal("true"), "",
          "Whether a query sees keys up to its own alone. Where it sees those of the whole text (LLaDA), a text is one "
          "pass, and nothing is kept of it"),
      row<S>("source", at(&S::source), computed("none: keys are those of the text itself"), "",
             "What keys and values are made of, where that is not what queries are made of: what the encoder gives of "
             "a source. All of it is seen, so that `causal` is false, and no positions are told",
             {"encoder"}),
      row<S>("num_attention_heads", at(&S::num_attention_heads), required(), "heads", "Query heads"),
      row<S>("num_key_value_heads", at(&S::num_key_value_heads), computed("num_attention_heads"), "heads",
             "Key and value heads; each serves num_attention_heads / num_key_value_heads query heads"),
      row<S>("head_dim", at(&S::head_dim), computed("hidden_size / num_attention_heads"), "elements",
             "Width of a head"),
      expression(
          row<S>("scale", at(&S::scale), literal("\"1 / sqrt(head_dim)\""), "",
                 "Factor of query times key: an expression of the spec's own numbers and layer, the layer's number "
                 "from 0")),
      expression(row<S>("scale_growth", at(&S::scale_growth), computed("none"), "",
                        "Scores of a query at position p are multiplied by 1 + scale_growth * log(1 + floor((p + "
                        "scale_offset) / scale_interval)), as Ministral 3 and Llama 4 have it: an expression of the "
                        "spec's own numbers")),
      row<S>("scale_interval", at(&S::scale_interval), computed("none"), "positions",
             "What scale_growth counts positions by: the length before which nothing grows"),
      row<S>("scale_offset", at(&S::scale_offset), computed("0"), "positions",
             "The number that scale_growth has the first position be (Llama 4's 1)"),
      row<S>("bias", at(&S::bias), literal("false"), "",
             "Projections with a bias: true, false, or a list out of \"q\", \"k\", \"v\", \"gate\", \"o\", and where "
             "differential is given \"second_q\", \"second_k\""),
      row<S>("adapter_rank", at(&S::adapter_rank), computed("none"), "elements",
             "Rank of the adapters of q, k and v: q gives q(x) + q_adapter_up(q_adapter_down(x)), of parts of those "
             "names"),
      expression(row<S>("clip", at(&S::clip), computed("none"), "",
                        "What q, k and v give, biases added, is limited to -clip and clip, before norms and rotation: "
                        "an expression of the spec's own numbers")),
      row<S>("qk_norm", at(&S::qk_norm), literal("\"none\""), "",
             "RMS normalisation of queries and keys, with weights: none, over each head, or over the whole projection",
             {"none", "head", "projection"}),
      in_place_of("qk_norm", row<S>("q_norm", at(&S::q_norm), literal("false"), "", of_norm("queries"))),
      in_place_of("qk_norm", row<S>("k_norm", at(&S::k_norm), literal("false"), "", of_norm("keys"))),
      expression(row<S>(
          "differential", at(&S::differential), computed("none"), "",
          "Differential attention: what the parts second_q and second_k attend to is multiplied by lambda and taken "
          "from "
          "what q and k attend to. Both read the values of v, 2 head_dim wide, so that heads are pairs, and the head's "
          "number in other keys is a pair's. lambda is exp(lambda_q1 . lambda_k1) - exp(lambda_q2 . lambda_k2), of "
          "learned vectors, + lambda_init, and what head_norm gives is multiplied by 1 - lambda_init. This is "
          "lambda_init: an expression of the spec's own numbers and layer, the layer's number from 0")),
      in_place_of(
          "score",
          expression(row<S>("softcap", at(&S::softcap), computed("none"), "",
                            "Scores become softcap * tanh(score / softcap): an expression of the spec's own numbers"))),
      in_place_of(
          "softcap",
          expression(row<S>(
              "score", at(&S::score),
              computed("the scaled product; position.type \"alibi\" adds a slope, \"relative_buckets\" a bias"), "",
              "An expression of score (the scaled product), query and key (positions), head, with ALiBi slope, "
              "with buckets of distances bias, and the spec's own numbers"))),
      in_place_of("mask", row<S>("sliding_window", at(&S::sliding_window), computed("none"), "keys",
                                 "Keys that a query sees, its own and those just before it; where causal is false, as "
                                 "many after it as before")),
      in_place_of("sliding_window",
                  row<S>("chunk_size", at(&S::chunk_size), computed("none"), "keys",
                         "A query sees the keys of its own chunk, up to its own: chunks are so many positions, one "
                         "after another from position 0 on")),
      in_place_of(
          "sliding_window",
          expression(row<S>(
              "mask", at(&S::mask), computed("every key up to the query's"), "",
              "A condition of query and key (positions) and the spec's own numbers: which keys up to its own are "
              "shown to a query, or where causal is false which of the whole text"))),
      in_place_of(
          "sliding_window",
          row<S>(
              "window", at(&S::window), computed("none"), "keys",
              "{ recent, first }: of the keys that a mask shows, a query sees the last `recent` ones and those of the "
              "`first` positions")),
      row<S>("position", at(&S::position), literal("true"), "",
             "Whether positions are told as [position] says; or keys of its own laid over those of [position]"),
      row<S>("sinks", at(&S::sinks), literal("false"), "",
             "Whether each head has one more score, a learned number, whose value is 0: what a query need not spend on "
             "keys"),
      row<S>("gate", at(&S::gate), literal("\"none\""), "",
             "What attention gives is multiplied by sigmoid(gate) before o. The gate is a projection of the input: a "
             "number for each query head, or for each element of one",
             {"none", "head", "element"}),
      row<S>("head_norm", at(&S::head_norm), literal("false"), "",
             "Normalise what each head gives, before gate: true, false, or keys laid over those of [norm]"),
      row<S>("head_scale", at(&S::head_scale), literal("false"), "",
             "Whether what each head gives is multiplied by a learned number of its own, before inner_norm and o"),
      row<S>("inner_norm", at(&S::inner_norm), literal("false"), "",
             "Normalise what o reads, all heads together: true, false, or keys laid over those of [norm]"),
      row<S>("values_from", at(&S::values_from), computed("none"), "",
             "A kind of layer: what v gives in its last layer before this one is mixed into what v gives here"),
      row<S>(
          "keys_and_values_from", at(&S::keys_and_values_from), computed("none"), "",
          "A kind of layer: this one has no k and v, and sees the keys and values of its last layer before this one"),
      expression(row<S>("value_mix", at(&S::value_mix), computed("lambda1 * value + lambda2 * earlier"), "",
                        "An expression of value and earlier, of learned numbers lambda1 and lambda2, parts of those "
                        "names, and of the spec's own numbers. Only where values_from is given")),
  };
  return rows;
}

}  // namespace monomorph::generator
