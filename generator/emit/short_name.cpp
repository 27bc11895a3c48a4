#include "generator/emit/short_name.hpp"

#include <cctype>
#include <set>

#include "generator/clang/clang.hpp"

namespace monomorph::generator {

std::string short_name(const Contract& contract) {
  static const std::set<std::string> taken = {// namespaces that emitted headers use, and the folder of the runtime's
                                              "monomorph", "runtime", "std",
                                              // targets that CMake keeps for itself (its policies CMP0037 and CMP0171)
                                              "ALL_BUILD", "INSTALL", "PACKAGE", "RUN_TESTS", "ZERO_CHECK", "all",
                                              "clean", "codegen", "edit_cache", "help", "install", "package",
                                              "package_source", "preinstall", "rebuild_cache", "test"};
  const std::string name = identifier_of(contract.name);
  const bool identifier = std::isdigit(static_cast<unsigned char>(name.front())) == 0 && !is_cpp_keyword(name);
  const bool of_another = name.starts_with("model_");  // what a model without that prefix is called
  return identifier && !of_another && !taken.contains(name) ? name : "";
}

std::string cpp_name(const Contract& contract) {
  const std::string name = short_name(contract);
  return name.empty() ? contract.identifier : name;
}

}  // namespace monomorph::generator
