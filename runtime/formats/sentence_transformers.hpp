// What sentence-transformers' files beside a config.json say of a model: how texts' vectors are made of hidden states.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace monomorph {

class Json;

/// The text of a config.json with one key more at its end where `directory` has a modules.json: an object
/// `sentence_transformers` with
///
///   pooling         "mean", "cls", "last", or another mode's own word; of several, their words with " + " between
///   normalize       whether a vector is divided by its length
///   dense           how many dense layers stand behind pooling
///   first_dense     of the first of them, where there is one: in_features, out_features, bias, and activation, this
///                   house's word, the class's whole name where it has none, and null of the identity
///   second_dense    the same of the second
///   others          the types of modules that are none of these, or stand out of the order of Transformer, Pooling,
///                   Dense and Normalize, with ", " between; "" where there are none
///   include_prompt  whether a prompt's own tokens are pooled
///   max_seq_length  of sentence_bert_config.json: tokens that a text is cut to; null where that says none
///   default_prompt_name  of config_sentence_transformers.json: the text that stands before each, null where none does
///   do_lower_case   of sentence_bert_config.json: whether texts are made lower case before the tokenizer
///
/// So import and the comparison of weights with a model read them as keys. The lines of the text stay. Throws
/// Error(rejected) naming the file where one of them is no such JSON, Error(environment) where it cannot be read.
std::string with_sentence_transformers(std::string config, const std::filesystem::path& directory);

/// A dense layer of a model's modules.json, whose tensors are a file of their own.
struct DenseModule {
  std::string name;  ///< that its tensors have before theirs: "first_dense.", "second_dense.", "dense_3." ...
  std::filesystem::path directory;
};

/// Whether a tensor's name begins with one of these.
bool is_of_dense_module(std::string_view name);

/// Those of a model's directory, in order; none where it has no modules.json. Throws as with_sentence_transformers
/// does.
std::vector<DenseModule> dense_modules(const std::filesystem::path& directory);

/// The class that config.json names; "" where it names none. Where with_sentence_transformers has given it modules it
/// is that without a head of language modelling, which is what sentence-transformers loads.
std::string loaded_class(const Json& config);

}  // namespace monomorph
