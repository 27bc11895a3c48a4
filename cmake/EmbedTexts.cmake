# cmake -DOUTPUT=resources.cpp -DROOT=dir -DFILES="a;b" -P EmbedTexts.cmake: writes the files as string literals, by path
# relative to ROOT, in order.
set(text "#include \"generator/emit/resources.hpp\"\n\nnamespace monomorph::generator {\n\n")
string(APPEND text "const std::map<std::string, std::string_view>& resources() {\n")
string(APPEND text "  static const std::map<std::string, std::string_view> all = {\n")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} content)
  string(APPEND text "      {\"${file}\", R\"~~(${content})~~\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n}  // namespace monomorph::generator\n")
file(WRITE ${OUTPUT} "${text}")
