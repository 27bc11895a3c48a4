// The components of tokenizer.json, each read into the part of the tokenizer that does its work. What a reader does not
// know it refuses, by name and place.
#pragma once

#include "runtime/tokenizer/tokenizer_data.hpp"
#include "runtime/tokenizer/tokenizer_json.hpp"

namespace monomorph {

/// All of it; `text` is the content of `file`.
std::unique_ptr<Tokenizer::Data> read_tokenizer_json(std::string_view text, const std::string& file);

void read_normalizer(const TokenizerJson& json, Tokenizer::Data& data);
/// Metaspace with `first`: the library puts no mark where a normalizer has dropped the first character. Refuses those
/// that can.
void refuse_dropped_front(const TokenizerJson& json);
void read_pre_tokenizer(const TokenizerJson& json, Tokenizer::Data& data);
/// After the pre-tokenizer, which says whether words are bytes.
void read_model(const TokenizerJson& json, Tokenizer::Data& data);
/// After the model and the normaliser: added tokens may be in the vocabulary, and are normalised as the text is.
void read_added_tokens(const TokenizerJson& json, Tokenizer::Data& data);
/// After the added tokens, which it may add. A fault of its template for pairs is met when a pair is encoded.
void read_post_processor(const TokenizerJson& json, Tokenizer::Data& data);
void read_decoder(const TokenizerJson& json, Tokenizer::Data& data);

/// Makes `id` a token; `place` is blamed when it is one already, with another content.
void define_token(const TokenizerJson& place, std::int32_t id, const std::string& content, Tokenizer::Data& data);

/// What a Replace, a Split or the like looks for.
Pattern read_pattern(const TokenizerJson& json);
/// Metaspace's character for a space.
std::string read_mark(const TokenizerJson& json);
/// Where Metaspace puts one: as files say it since 0.15, or before, with `add_prefix_space` alone.
MetaspaceStep::Prepend read_prepend(const TokenizerJson& json);

}  // namespace monomorph
