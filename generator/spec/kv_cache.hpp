// engine.kv_cache: types of cached keys and of cached values.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/field.hpp"
#include "runtime/dtype.hpp"

namespace monomorph::generator {

/// One word gives both; a table gives each, and what it leaves out has the default.
struct CacheTypes {
  Field<std::string> keys, values;
};

/// The words that a type may be.
const std::vector<std::string>& cache_type_names();

/// The type of such a word; f16 of any other, which the reader has refused.
Dtype cache_type(const std::string& word);

}  // namespace monomorph::generator
