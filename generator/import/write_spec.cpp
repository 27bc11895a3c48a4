#include <fmt/format.h>

#include <algorithm>

#include "generator/import/steps.hpp"
#include "generator/spec/kinds.hpp"

namespace monomorph::generator {

void leave_out_unused(SpecLines& lines) {
  Diagnostics none;  // what is wrong is told of the whole spec
  const auto source = std::make_shared<const Source>(Source{"", write_spec("", lines, nullptr).text});
  const std::optional<Spec> spec = read_spec_leniently(source, {}, none);
  if (!spec) return;
  const std::optional<TomlValue> root = parse_document(source, none);
  for (const TomlEntry* section : never_used(*root, spec->kinds)) {
    std::erase_if(lines, [&](const SpecLine& line) { return line.section == section->key; });
  }
  for (const LayerKind& kind : spec->kinds) {
    if (std::ranges::any_of(kind.steps, &Step::has_several)) return;
  }
  std::erase_if(lines, [](const SpecLine& line) {
    return line.section == "layers" && (line.key == "shared_input_norm" || line.key == "shared_output_norm");
  });
}

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
