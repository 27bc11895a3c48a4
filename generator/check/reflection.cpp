#include "generator/check/reflection.hpp"

#include <spirv_cross/spirv_cross_c.h>

#include <memory>
#include <type_traits>

#include "generator/diagnostics.hpp"

namespace monomorph::generator {
namespace {

using Context = std::unique_ptr<std::remove_pointer_t<spvc_context>, decltype(&spvc_context_destroy)>;

void require(spvc_context context, spvc_result result, const char* call) {
  if (result == SPVC_SUCCESS) return;
  throw InternalError(std::string("check.layout: SPIRV-Cross cannot read the SPIR-V (") + call +
                      "): " + spvc_context_get_last_error_string(context));
}

class Reflection {
 public:
  explicit Reflection(std::span<const std::uint32_t> spirv) {
    spvc_context context = nullptr;
    require(nullptr, spvc_context_create(&context), "spvc_context_create");
    context_.reset(context);
    spvc_parsed_ir parsed = nullptr;
    require(context, spvc_context_parse_spirv(context, spirv.data(), spirv.size(), &parsed),
            "spvc_context_parse_spirv");
    require(
        context,
        spvc_context_create_compiler(context, SPVC_BACKEND_NONE, parsed, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler_),
        "spvc_context_create_compiler");
  }

  /// The type of the buffer block at set 0, `binding`; 0 where there is none.
  spvc_type_id block_at(std::uint32_t binding) const {
    spvc_resources resources = nullptr;
    require(context_.get(), spvc_compiler_create_shader_resources(compiler_, &resources),
            "spvc_compiler_create_shader_resources");
    for (const spvc_resource_type kind : {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, SPVC_RESOURCE_TYPE_UNIFORM_BUFFER}) {
      const spvc_reflected_resource* list = nullptr;
      std::size_t count = 0;
      require(context_.get(), spvc_resources_get_resource_list_for_type(resources, kind, &list, &count),
              "spvc_resources_get_resource_list_for_type");
      for (const spvc_reflected_resource& resource : std::span(list, count)) {
        if (spvc_compiler_get_decoration(compiler_, resource.id, SpvDecorationDescriptorSet) == 0 &&
            spvc_compiler_get_decoration(compiler_, resource.id, SpvDecorationBinding) == binding) {
          return resource.base_type_id;
        }
      }
    }
    return 0;
  }

  std::vector<ReflectedField> fields(spvc_type_id id) const {
    const spvc_type type = spvc_compiler_get_type_handle(compiler_, id);
    const unsigned count = spvc_type_get_num_member_types(type);
    if (count == 1) {
      const spvc_type only = spvc_compiler_get_type_handle(compiler_, spvc_type_get_member_type(type, 0));
      if (spvc_type_get_basetype(only) == SPVC_BASETYPE_STRUCT && spvc_type_get_num_array_dimensions(only) == 0) {
        return fields(spvc_type_get_base_type_id(only));
      }
    }
    std::vector<ReflectedField> result;
    for (unsigned index = 0; index < count; ++index) result.push_back(field(id, type, index));
    return result;
  }

 private:
  ReflectedField field(spvc_type_id id, spvc_type type, unsigned index) const {
    ReflectedField result;
    result.name = spvc_compiler_get_member_name(compiler_, id, index);
    unsigned offset = 0, stride = 0;
    require(context_.get(), spvc_compiler_type_struct_member_offset(compiler_, type, index, &offset),
            "spvc_compiler_type_struct_member_offset");
    std::size_t size = 0;
    require(context_.get(), spvc_compiler_get_declared_struct_member_size(compiler_, type, index, &size),
            "spvc_compiler_get_declared_struct_member_size");
    const spvc_type member = spvc_compiler_get_type_handle(compiler_, spvc_type_get_member_type(type, index));
    if (spvc_type_get_num_array_dimensions(member) != 0) {
      require(context_.get(), spvc_compiler_type_struct_member_array_stride(compiler_, type, index, &stride),
              "spvc_compiler_type_struct_member_array_stride");
    }
    result.offset = offset;
    result.size = static_cast<std::int64_t>(size);
    result.array_stride = stride;
    if (spvc_type_get_basetype(member) == SPVC_BASETYPE_STRUCT)
      result.fields = fields(spvc_type_get_base_type_id(member));
    return result;
  }

  Context context_{nullptr, &spvc_context_destroy};
  spvc_compiler compiler_ = nullptr;
};

}  // namespace

std::optional<ReflectedStruct> reflect_struct(std::span<const std::uint32_t> spirv, std::uint32_t binding) {
  const Reflection reflection(spirv);
  const spvc_type_id block = reflection.block_at(binding);
  if (block == 0) return std::nullopt;
  return ReflectedStruct{reflection.fields(block)};
}

}  // namespace monomorph::generator
