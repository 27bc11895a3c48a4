// The components of tokenizer.json, each read into the part of the tokenizer that does its work. What a reader does not
// know it refuses, by name and place.
#pragma once

#include "runtime/tokenizer/tokenizer_data.hpp"
#include "runtime/tokenizer/tokenizer_json.hpp"

namespace monomorph {

void read_normalizer(const TokenizerJson& json, Tokenizer::Data& data);
void read_pre_tokenizer(const TokenizerJson& json, Tokenizer::Data& data);
void read_post_processor(const TokenizerJson& json, Tokenizer::Data& data);
void read_decoder(const TokenizerJson& json);
/// Vocabulary and merges.
void read_model(const TokenizerJson& json, Tokenizer::Data& data);
/// Makes `id` a token; `place` is blamed when it is one already, with other bytes.
void define_token(const TokenizerJson& place, std::int32_t id, const std::string& content, Tokenizer::Data& data);
/// After the model and the normaliser: added tokens may be in the vocabulary, and are normalised as the text is.
void read_added_tokens(const TokenizerJson& json, Tokenizer::Data& data);

}  // namespace monomorph
