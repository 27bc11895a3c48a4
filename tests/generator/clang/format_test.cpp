#include <doctest/doctest.h>

#include "generator/clang/clang.hpp"

using monomorph::generator::format_cpp;

TEST_CASE("C++ is formatted in the style of emitted code") {
  CHECK(format_cpp("int  sum(int *a,int& b){return *a+b;}\n") == "int sum(int* a, int& b) { return *a + b; }\n");
  CHECK(format_cpp("struct q{static constexpr long size=288;};\n") ==
        "struct q {\n  static constexpr long size = 288;\n};\n");
}

TEST_CASE("includes are neither sorted nor regrouped") {
  const std::string text = "#include \"z.hpp\"\n#include <vector>\n\n#include \"a.hpp\"\n";
  CHECK(format_cpp(text) == text);
}

TEST_CASE("lines are broken at 120 columns and never before") {
  const std::string name(50, 'a');
  const std::string line = "int " + name + "(int " + name + ");\n";
  CHECK(line.size() < 121);
  CHECK(format_cpp(line) == line);
  const std::string longer = "int " + name + "(int " + name + ", int " + name + ");\n";
  const std::string broken = format_cpp(longer);
  CHECK(broken == "int " + name + "(int " + name + ",\n" + std::string(55, ' ') + "int " + name + ");\n");
}

TEST_CASE("formatting what is formatted changes nothing") {
  const std::string once = format_cpp("void f(){for(int i=0;i<3;++i){g( i );}}\n");
  CHECK(format_cpp(once) == once);
}
