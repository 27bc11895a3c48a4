#include "generator/clang/host_mistakes.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticSema.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "generator/clang/model_types.hpp"

namespace monomorph::generator {
namespace {

namespace diag = clang::diag;

struct TypePair {
  clang::QualType given, required;
};

/// The types that a diagnostic speaks of, by the positions they have in its message.
std::optional<TypePair> types_of(const MessageNote& note) {
  std::size_t given = 0, required = 0;
  switch (note.id) {
    case diag::note_ovl_candidate_bad_conv:
      given = 3, required = 4;
      break;
    case diag::err_typecheck_nonviable_condition:
      given = 1, required = 2;
      break;
    case diag::err_init_conversion_failed:
      given = 3, required = 1;
      break;
    case diag::err_reference_bind_failed:
      given = 3, required = 0;
      break;
    case diag::err_lvalue_reference_bind_to_unrelated:
    case diag::err_lvalue_reference_bind_to_temporary:
      given = 2, required = 1;
      break;
    case diag::err_lvalue_to_rvalue_ref:
      given = 1, required = 0;
      break;
    default:
      return std::nullopt;
  }
  if (std::max(given, required) >= note.arguments.size()) return std::nullopt;
  const TypePair pair{note.arguments[given].type, note.arguments[required].type};
  if (pair.given.isNull() || pair.required.isNull()) return std::nullopt;
  return pair;
}

bool is_about_a_call(const Message& message) {
  switch (message.id) {
    case diag::err_ovl_no_viable_function_in_call:
    case diag::err_ovl_no_viable_member_function_in_call:
    case diag::err_typecheck_call_too_few_args:
    case diag::err_typecheck_call_too_few_args_at_least:
    case diag::err_typecheck_call_too_few_args_one:
    case diag::err_typecheck_call_too_few_args_at_least_one:
    case diag::err_typecheck_call_too_many_args:
    case diag::err_typecheck_call_too_many_args_at_most:
    case diag::err_typecheck_call_too_many_args_one:
    case diag::err_typecheck_call_too_many_args_at_most_one:
      return true;
    default:
      return types_of(message).has_value();
  }
}

class Explainer {
 public:
  Explainer(clang::ASTContext& context, const Message& message, const HostCalls& calls,
            const std::vector<std::int64_t>& vocab_sizes)
      : context_(context), message_(message), calls_(calls), vocab_sizes_(vocab_sizes) {
    if (const auto pair = types_of(message)) pairs_.push_back(*pair);
    for (const MessageNote& note : message.notes) {
      if (const auto pair = types_of(note)) pairs_.push_back(*pair);
    }
  }

  /// The mistakes of the candidate that fits best; none where none has to do with shapes.
  std::vector<HostMistake> explain_call(const FailedCall& call) const {
    std::vector<HostMistake> best;
    const clang::FunctionDecl* nearest = nullptr;
    const std::vector<const clang::FunctionDecl*> candidates = candidates_of(call);
    for (const clang::FunctionDecl* candidate : candidates) {
      if (!takes(*candidate, call.arguments.size())) {
        if (nearest == nullptr) nearest = candidate;
        continue;
      }
      std::vector<HostMistake> mistakes = wrong_arguments(call, *candidate);
      if (!mistakes.empty() && (best.empty() || mistakes.size() < best.size())) best = std::move(mistakes);
    }
    if (best.empty() && nearest != nullptr && candidates.size() == 1) best.push_back(wrong_count(call, *nearest));
    return best;
  }

  /// A conversion that failed outside a call: an initialisation, an assignment, a cast.
  std::vector<HostMistake> explain_conversion() const {
    for (const TypePair& pair : pairs_) {
      const ModelType given = describe_type(context_, pair.given), required = describe_type(context_, pair.required);
      if (is_of_the_model(given, required) && given.type != required.type) {
        const ShapeSentence sentence = mismatch_sentence(context_, given, required, vocab_sizes_);
        return {{sentence.rule, sentence.text, message_.location, "", {}, false}};
      }
    }
    return {};
  }

 private:
  /// Those that Clang's notes list, else those that the call knows.
  std::vector<const clang::FunctionDecl*> candidates_of(const FailedCall& call) const {
    std::vector<const clang::FunctionDecl*> candidates;
    for (const MessageNote& note : message_.notes) {
      const clang::FunctionDecl* function = calls_.declared_at(note.location);
      if (function != nullptr && function->getNameAsString() == call.name) candidates.push_back(function);
    }
    return candidates.empty() ? call.candidates : candidates;
  }

  static bool takes(const clang::FunctionDecl& function, std::size_t count) {
    return count >= function.getMinRequiredArguments() && (count <= function.getNumParams() || function.isVariadic());
  }

  static bool is_of_the_model(const ModelType& given, const ModelType& required) {
    return is_typed_shape(given) || is_typed_shape(required) || shapes_differ(given, required) ||
           required.kind == ModelTypeKind::values;
  }

  bool clang_complains_of(const ModelType& given, const ModelType& required) const {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const TypePair& pair) {
      return describe_type(context_, pair.given).type == given.type &&
             describe_type(context_, pair.required).type == required.type;
    });
  }

  struct WrongArgument {
    unsigned index;
    ModelType given, required;
  };

  std::vector<WrongArgument> find_wrong(const FailedCall& call, const clang::FunctionDecl& function) const {
    std::vector<WrongArgument> wrong;
    for (unsigned index = 0; index < std::min<std::size_t>(call.arguments.size(), function.getNumParams()); ++index) {
      const clang::Expr* argument = call.arguments[index];
      const clang::ParmVarDecl* parameter = function.getParamDecl(index);
      if (argument->isTypeDependent() || parameter->getType()->isDependentType()) continue;
      const ModelType given = describe_type(context_, argument->getType());
      const ModelType required = describe_type(context_, parameter->getType());
      if (!shapes_differ(given, required) &&
          !(is_of_the_model(given, required) && clang_complains_of(given, required))) {
        continue;
      }
      wrong.push_back({index, given, required});
    }
    return wrong;
  }

  /// One for each wrong argument; one for two that stand in each other's place.
  std::vector<HostMistake> wrong_arguments(const FailedCall& call, const clang::FunctionDecl& function) const {
    std::vector<WrongArgument> wrong = find_wrong(call, function);
    std::vector<HostMistake> mistakes;
    while (!wrong.empty()) {
      const WrongArgument first = wrong.front();
      wrong.erase(wrong.begin());
      const auto other = std::find_if(wrong.begin(), wrong.end(), [&](const WrongArgument& later) {
        return is_typed_shape(first.given) && later.given.type == first.required.type &&
               later.required.type == first.given.type;
      });
      const bool exchanged = other != wrong.end();
      const ShapeSentence sentence = exchanged ? exchange_sentence(first.given, other->given)
                                               : mismatch_sentence(context_, first.given, first.required, vocab_sizes_);
      const std::string name = function.getParamDecl(first.index)->getNameAsString();
      mistakes.push_back({sentence.rule, call.name + ": " + sentence.text, call.begin,
                          fmt::format("argument {}{}", first.index + 1, in_parentheses(name)),
                          call.arguments[first.index]->getBeginLoc(), false});
      if (exchanged) wrong.erase(other);
    }
    return mistakes;
  }

  static std::string in_parentheses(const std::string& name) { return name.empty() ? "" : " (" + name + ")"; }

  static HostMistake wrong_count(const FailedCall& call, const clang::FunctionDecl& function) {
    std::vector<std::string> parameters;
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
      parameters.push_back(parameter->getName().empty() ? parameter->getType().getAsString()
                                                        : parameter->getNameAsString());
    }
    return {"host.arguments",
            fmt::format("{}: {} argument{} given; {} required here ({})", call.name, call.arguments.size(),
                        call.arguments.size() == 1 ? " is" : "s are",
                        function.getNumParams() == 1 ? "1 is" : fmt::format("{} are", function.getNumParams()),
                        fmt::join(parameters, ", ")),
            call.begin,
            "",
            {},
            false};
  }

  clang::ASTContext& context_;
  const Message& message_;
  const HostCalls& calls_;
  const std::vector<std::int64_t>& vocab_sizes_;
  std::vector<TypePair> pairs_;
};

/// A failed assertion's own sentence; "" where it has none.
std::string assertion_text(const Message& message) {
  const bool requirement = message.id == diag::err_static_assert_requirement_failed;
  const std::size_t index = requirement ? 2 : 1;
  return index < message.arguments.size() ? message.arguments[index].text : "";
}

}  // namespace

std::vector<HostMistake> explain(clang::ASTContext& context, const Message& message, const HostCalls& calls,
                                 const std::vector<std::int64_t>& vocab_sizes) {
  const Explainer explainer(context, message, calls, vocab_sizes);
  std::vector<const FailedCall*> failed;
  if (is_about_a_call(message)) failed = calls.failed_at(message.location);
  for (const FailedCall* call : failed) {
    if (auto mistakes = explainer.explain_call(*call); !mistakes.empty()) return mistakes;
  }
  if (auto mistakes = explainer.explain_conversion(); !mistakes.empty()) {
    if (failed.empty()) return mistakes;
    // A function template: its parameters have no types of their own, but Clang says which it found.
    for (HostMistake& mistake : mistakes) {
      mistake.text = failed.front()->name + ": " + mistake.text;
      mistake.place = failed.front()->begin;
    }
    return mistakes;
  }

  // Without a place, it is the flags that are wrong.
  const char* rule = message.location.isValid() ? "host.cpp" : "host.flags";
  HostMistake mistake{rule, message.text, message.location, "", {}, true};
  switch (message.id) {
    case diag::err_static_assert_failed:
    case diag::err_static_assert_requirement_failed:
      mistake.rule = "host.assertion";
      if (const std::string text = assertion_text(message); !text.empty()) mistake.text = text;
      break;
    case diag::warn_unused_result:
    case diag::warn_unused_result_msg:
      mistake.rule = "host.discarded";
      if (const std::string name = calls.called_at(message.location); !name.empty()) {
        mistake.text = name + ": its result is thrown away; it is all that the call is for";
      }
      break;
    case diag::err_pp_file_not_found:
      mistake.rule = "host.missing_header";
      break;
    default:
      break;
  }
  return {mistake};
}

}  // namespace monomorph::generator
