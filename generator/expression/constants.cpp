// Parts of an expression that are the same whatever its variables are, and that f32 cannot hold.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "generator/expression/node.hpp"

namespace monomorph::generator {
namespace {

using Form = ExpressionNode::Form;

class Faults {
 public:
  std::vector<ConstantFault> of(const ExpressionNode& root) {
    visit(root);
    return std::move(found_);
  }

 private:
  struct Known {
    bool constant = true;  ///< it names no variable
    bool sound = true;     ///< nothing is wrong within it
  };

  Known visit(const ExpressionNode& node) {
    if (node.form == Form::name) return {false, true};
    if (node.form == Form::conditional) return visit_conditional(node);
    Known known;
    for (const auto& operand : node.operands) {
      const Known part = visit(*operand);
      known.constant = known.constant && part.constant;
      known.sound = known.sound && part.sound;
      const bool divisor = node.form == Form::binary && node.word == "/" && operand == node.operands[1];
      if (divisor && part.constant && part.sound && in_f32(*operand) == 0) {
        complain(node, "this divides by a constant that is 0 in f32, in which kernels compute");
        known.sound = false;
      }
    }
    return judged(node, known);
  }

  Known visit_conditional(const ExpressionNode& node) {
    const Known condition = visit(*node.operands[0]);
    if (condition.constant && condition.sound) return visit(*node.operands[value(*node.operands[0]) != 0 ? 1 : 2]);
    const Known chosen = visit(*node.operands[1]), other = visit(*node.operands[2]);
    return {false, condition.sound && chosen.sound && other.sound};
  }

  Known judged(const ExpressionNode& node, Known known) {
    if (!known.constant || !known.sound || std::isfinite(in_f32(node))) return known;
    complain(node, fmt::format("this part is {}, whatever the variables are: a finite number of f32, in which kernels "
                               "compute, is required",
                               value(node)));
    return {true, false};
  }

  /// An argument of an activation is written out as often as the activation uses it.
  void complain(const ExpressionNode& node, const std::string& message) {
    if (told_.insert(node.place.begin).second) found_.push_back({node.place, message});
  }

  static double value(const ExpressionNode& node) {
    return evaluate({std::shared_ptr<const ExpressionNode>(std::shared_ptr<void>(), &node), ""}, {});
  }
  static float in_f32(const ExpressionNode& node) { return static_cast<float>(value(node)); }

  std::vector<ConstantFault> found_;
  std::set<std::size_t> told_;
};

}  // namespace

std::vector<ConstantFault> constant_faults(const ExpressionNode& root) { return Faults().of(root); }

}  // namespace monomorph::generator
