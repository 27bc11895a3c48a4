#include <fmt/format.h>

#include <algorithm>

#include "generator/import/steps.hpp"

namespace monomorph::generator {

ImportedSpec write_spec(const std::string& heading, const SpecLines& lines, std::shared_ptr<const Source> config) {
  ImportedSpec spec{"# " + heading, {std::move(config), {}}};
  // The heading has strings of the file's: nothing in them may end the comment.
  std::replace_if(spec.text.begin(), spec.text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  spec.text += '\n';
  std::string section;
  for (const SpecLine& line : lines) {
    if (line.section != section) {
      spec.text +=
          fmt::format("{}[{}]\n", section.empty() ? "" : "\n", line.section);  // the first stands by the heading
      section = line.section;
    }
    if (line.key.empty()) {
      if (!line.note.empty()) spec.text += "# " + line.note + '\n';
      continue;
    }
    if (line.place.source != nullptr) {
      const auto above = std::count(spec.text.begin(), spec.text.end(), '\n');
      spec.places.lines[static_cast<int>(above) + 1] = line.place;
    }
    spec.text += fmt::format("{} = {}{}{}\n", line.key, line.value, line.note.empty() ? "" : "  # ", line.note);
  }
  return spec;
}

}  // namespace monomorph::generator
