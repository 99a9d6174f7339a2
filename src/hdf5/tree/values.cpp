// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

constexpr int most_nested = 16;
constexpr int most_members = 1024;

struct FreeText {
  void operator()(char* text) const noexcept { H5free_memory(text); }
};
using LibraryText = std::unique_ptr<char, FreeText>;

bool equals(hid_t type, hid_t standard) { return H5Tequal(type, standard) > 0; }

ByteOrder order_of(hid_t type) { return H5Tget_order(type) == H5T_ORDER_BE ? ByteOrder::big : ByteOrder::little; }

void describe_real(hid_t type, Type& made) {
  const bool is_ieee = equals(type, H5T_IEEE_F32LE) || equals(type, H5T_IEEE_F32BE) || equals(type, H5T_IEEE_F64LE) ||
                       equals(type, H5T_IEEE_F64BE);
  made.kind = is_ieee ? TypeClass::real : TypeClass::other;
  made.order = order_of(type);
}

// No unused bits, and a size that fits 64.
bool is_plain_integer(hid_t type, std::uint64_t bytes) {
  return bytes <= 8 && H5Tget_precision(type) == 8 * bytes && H5Tget_offset(type) == 0;
}

void describe_integer(hid_t type, Type& made) {
  made.kind = is_plain_integer(type, made.bytes) ? TypeClass::integer : TypeClass::other;
  made.order = order_of(type);
  made.is_signed = H5Tget_sign(type) == H5T_SGN_2;
}

void describe_string(hid_t type, const ErrorPlace& where, Type& made) {
  made.kind = TypeClass::string;
  made.is_variable = require(H5Tis_variable_str(type), where, "a string type cannot be read") > 0;
  if (made.is_variable) made.bytes = 0;
  made.is_utf8 = H5Tget_cset(type) == H5T_CSET_UTF8;
  const H5T_str_t padding = H5Tget_strpad(type);
  made.padding = padding == H5T_STR_SPACEPAD  ? Padding::space_padded
                 : padding == H5T_STR_NULLPAD ? Padding::nul_padded
                                              : Padding::nul_terminated;
}

Type describe_nested(hid_t type, const ErrorPlace& where, int depth);

Handle base_of(hid_t type, const ErrorPlace& where) {
  return require(H5Tget_super(type), H5Tclose, where, "the base of a type cannot be read");
}

void describe_array(hid_t type, const ErrorPlace& where, int depth, Type& made) {
  made.kind = TypeClass::array;
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = require(H5Tget_array_ndims(type), where, "an array type cannot be read");
  require(H5Tget_array_dims2(type, extents.data()), where, "an array type cannot be read");
  made.extents.assign(extents.begin(), extents.begin() + rank);
  made.parts.push_back(describe_nested(base_of(type, where).get(), where, depth + 1));
}

int members_of(hid_t type, const ErrorPlace& where) {
  const int members = require(H5Tget_nmembers(type), where, "the members of a type cannot be read");
  if (members <= most_members) return members;
  base::fail(Code::malformed, {.path = where.path, .record = where.object},
             "{}: a datatype has {} members, more than {}", base::printable(where.object), members, most_members);
}

std::string name_of_member(hid_t type, int member) {
  const LibraryText name(H5Tget_member_name(type, static_cast<unsigned>(member)));
  return name ? std::string(name.get()) : std::string();
}

void describe_enumeration(hid_t type, const ErrorPlace& where, int depth, Type& made) {
  made.kind = TypeClass::enumeration;
  const Handle base = base_of(type, where);
  made.parts.push_back(describe_nested(base.get(), where, depth + 1));
  const Type& number = made.parts.front();
  made.order = number.order;
  made.is_signed = number.is_signed;
  if (number.kind != TypeClass::integer) {
    made.kind = TypeClass::other;
    return;
  }
  const int members = members_of(type, where);
  for (int i = 0; i < members; ++i) {
    std::array<std::byte, 8> bytes{};
    require(H5Tget_member_value(type, static_cast<unsigned>(i), bytes.data()), where, "an enumeration cannot be read");
    require(H5Tconvert(base.get(), H5T_NATIVE_INT64, 1, bytes.data(), nullptr, H5P_DEFAULT), where,
            "an enumeration cannot be read");
    made.values.push_back(std::bit_cast<std::int64_t>(bytes));
    made.names.push_back(name_of_member(type, i));
  }
  const bool is_boolean = made.bytes == 1 && members == 2 && made.names[0] == "FALSE" && made.names[1] == "TRUE" &&
                          made.values[0] == 0 && made.values[1] == 1;
  if (is_boolean) made.kind = TypeClass::boolean;
}

// Two equal real numbers, contiguous, whose names tell which is which.
bool is_complex(const Type& type) {
  if (type.parts.size() != 2) return false;
  const Type &re = type.parts[0], &im = type.parts[1];
  const bool equal = re.kind == TypeClass::real && im.kind == TypeClass::real && re.bytes == im.bytes &&
                     re.order == im.order && type.bytes == 2 * re.bytes;
  if (!equal || type.offsets[0] != 0 || type.offsets[1] != re.bytes) return false;
  using Names = std::vector<std::string>;
  return type.names == Names{"r", "i"} || type.names == Names{"re", "im"} || type.names == Names{"real", "imag"};
}

void describe_compound(hid_t type, const ErrorPlace& where, int depth, Type& made) {
  made.kind = TypeClass::compound;
  const int members = members_of(type, where);
  for (int i = 0; i < members; ++i) {
    const auto number = static_cast<unsigned>(i);
    const Handle part = require(H5Tget_member_type(type, number), H5Tclose, where, "a member's type cannot be read");
    made.parts.push_back(describe_nested(part.get(), where, depth + 1));
    made.names.push_back(name_of_member(type, i));
    made.offsets.push_back(H5Tget_member_offset(type, number));
  }
  if (!is_complex(made)) return;
  made.kind = TypeClass::complex;
  made.order = made.parts.front().order;
  made.parts.pop_back();
}

#if H5_VERSION_GE(2, 0, 0)
void describe_complex(hid_t type, const ErrorPlace& where, int depth, Type& made) {
  made.parts.push_back(describe_nested(base_of(type, where).get(), where, depth + 1));
  const Type& number = made.parts.front();
  const bool is_pair = number.kind == TypeClass::real && made.bytes == 2 * number.bytes;
  made.kind = is_pair ? TypeClass::complex : TypeClass::other;
  made.order = number.order;
}
#endif

std::string tag_of(hid_t type) {
  const LibraryText tag(H5Tget_tag(type));
  return tag ? std::string(tag.get()) : std::string();
}

Type describe_nested(hid_t type, const ErrorPlace& where, int depth) {
  if (depth > most_nested) {
    base::fail(Code::malformed, {.path = where.path, .record = where.object},
               "{}: a datatype is nested more than {} times", base::printable(where.object), most_nested);
  }
  Type made;
  made.bytes = H5Tget_size(type);
  if (made.bytes == 0) throw_failure(where, "a datatype has no size");
  switch (require(H5Tget_class(type), where, "a datatype cannot be read")) {
    case H5T_INTEGER:
      describe_integer(type, made);
      break;
    case H5T_FLOAT:
      describe_real(type, made);
      break;
    case H5T_STRING:
      describe_string(type, where, made);
      break;
    case H5T_ARRAY:
      describe_array(type, where, depth, made);
      break;
    case H5T_COMPOUND:
      describe_compound(type, where, depth, made);
      break;
    case H5T_ENUM:
      describe_enumeration(type, where, depth, made);
      break;
    case H5T_BITFIELD:
      made.kind = is_plain_integer(type, made.bytes) ? TypeClass::bits : TypeClass::other;
      made.order = order_of(type);
      break;
    case H5T_OPAQUE:
      made.kind = TypeClass::opaque;
      made.tag = tag_of(type);
      break;
    case H5T_REFERENCE:
      made.kind = TypeClass::reference;
      break;
    case H5T_VLEN:
      made.kind = TypeClass::list;
      made.bytes = 0;
      made.parts.push_back(describe_nested(base_of(type, where).get(), where, depth + 1));
      break;
#if H5_VERSION_GE(2, 0, 0)
    case H5T_COMPLEX:
      describe_complex(type, where, depth, made);
      break;
#endif
    default:
      break;
  }
  return made;
}

std::string name_of(TypeClass kind) {
  switch (kind) {
    case TypeClass::boolean:
      return "boolean";
    case TypeClass::reference:
      return "reference";
    case TypeClass::other:
      return "type of another kind";
    default:
      return "opaque";
  }
}

std::string members_text(const Type& type) {
  std::string text;
  for (std::size_t i = 0; i < type.names.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ",", base::printable(type.names[i]));
  }
  return text;
}

std::string number_text(const char* name, const Type& type) {
  const bool is_marked = type.order == ByteOrder::big && type.bytes > 1;
  return fmt::format("{}{}{}", name, 8 * type.bytes, is_marked ? " big-endian" : "");
}

}  // namespace

Type describe_type(hid_t type, const ErrorPlace& where) { return describe_nested(type, where, 0); }

Stripped strip(const Type& type) {
  Stripped stripped{{}, &type};
  while (stripped.base->kind == TypeClass::array) {
    const auto& extents = stripped.base->extents;
    stripped.extents.insert(stripped.extents.end(), extents.begin(), extents.end());
    stripped.base = &stripped.base->parts.front();
  }
  return stripped;
}

bool is_number(const Type& type) noexcept { return type.kind == TypeClass::real || type.kind == TypeClass::complex; }

std::string to_string(const Type& type) {
  switch (type.kind) {
    case TypeClass::integer:
      return number_text(type.is_signed ? "int" : "uint", type);
    case TypeClass::real:
      return number_text("float", type);
    case TypeClass::bits:
      return number_text("bits", type);
    case TypeClass::complex:
      return fmt::format("{}{}{}{}", number_text("complex", type), type.names.empty() ? "" : " {", members_text(type),
                         type.names.empty() ? "" : "}");
    case TypeClass::string:
      return type.is_variable ? "string" : fmt::format("string of {} bytes", type.bytes);
    case TypeClass::array:
      return fmt::format("array {} of {}", fmt::join(type.extents, "x"), to_string(type.parts.front()));
    case TypeClass::compound:
      return fmt::format("compound {{{}}} of {} bytes", members_text(type), type.bytes);
    case TypeClass::enumeration:
      return fmt::format("enumeration {{{}}}", members_text(type));
    case TypeClass::list:
      return fmt::format("list of {}", to_string(type.parts.front()));
    default:
      return type.bytes == 0 ? name_of(type.kind) : fmt::format("{} of {} bytes", name_of(type.kind), type.bytes);
  }
}

namespace {

std::uint64_t bits_at(const std::byte* at, std::uint64_t bytes, ByteOrder order) {
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    bits = bits << 8 | std::to_integer<std::uint64_t>(at[order == ByteOrder::big ? i : bytes - 1 - i]);
  }
  return bits;
}

std::int64_t signed_at(const std::byte* at, std::uint64_t bytes, ByteOrder order) {
  const auto unused = static_cast<int>(64 - 8 * bytes);
  return static_cast<std::int64_t>(bits_at(at, bytes, order) << unused) >> unused;
}

float single_at(const std::byte* at, ByteOrder order) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(at, 4, order)));
}

double double_at(const std::byte* at, ByteOrder order) { return std::bit_cast<double>(bits_at(at, 8, order)); }

std::string string_at(const std::byte* at, const Type& type) {
  std::string text(reinterpret_cast<const char*>(at), static_cast<std::size_t>(type.bytes));
  // Many programs nevertheless write a NUL there.
  if (type.padding != Padding::space_padded) return text.substr(0, text.find('\0'));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

template <class Element, class At>
std::vector<Element> each_element(base::Bytes raw, std::uint64_t bytes, At&& at) {
  std::vector<Element> elements(raw.size() / bytes);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = at(raw.data() + i * bytes);
  return elements;
}

Value::Elements decode_complex(const Type& type, base::Bytes raw) {
  const ByteOrder order = type.order;
  if (type.bytes == 8) {
    return each_element<std::complex<float>>(
        raw, 8, [&](const std::byte* at) { return std::complex(single_at(at, order), single_at(at + 4, order)); });
  }
  return each_element<std::complex<double>>(
      raw, 16, [&](const std::byte* at) { return std::complex(double_at(at, order), double_at(at + 8, order)); });
}

Value::Elements decode_real(const Type& type, base::Bytes raw) {
  const ByteOrder order = type.order;
  if (type.bytes == 4) {
    return each_element<float>(raw, 4, [&](const std::byte* at) { return single_at(at, order); });
  }
  return each_element<double>(raw, 8, [&](const std::byte* at) { return double_at(at, order); });
}

Value::Elements decode_integers(const Type& type, base::Bytes raw) {
  if (type.is_signed) {
    return each_element<std::int64_t>(raw, type.bytes,
                                      [&](const std::byte* at) { return signed_at(at, type.bytes, type.order); });
  }
  return each_element<std::uint64_t>(raw, type.bytes,
                                     [&](const std::byte* at) { return bits_at(at, type.bytes, type.order); });
}

Value::Elements decode_elements(const Type& type, base::Bytes raw) {
  switch (type.kind) {
    case TypeClass::integer:
    case TypeClass::enumeration:
    case TypeClass::bits:
      return decode_integers(type, raw);
    case TypeClass::real:
      return decode_real(type, raw);
    case TypeClass::complex:
      return decode_complex(type, raw);
    case TypeClass::boolean:
      return each_element<bool>(raw, 1, [](const std::byte* at) { return *at != std::byte{0}; });
    case TypeClass::string:
      return each_element<std::string>(raw, type.bytes, [&](const std::byte* at) { return string_at(at, type); });
    case TypeClass::list:
    case TypeClass::reference:
      return std::monostate();
    default:
      return std::vector<std::byte>(raw.begin(), raw.end());
  }
}

template <class T>
std::string shown_element(const T& element) {
  return fmt::format("{}", element);
}
template <class T>
std::string shown_element(const std::complex<T>& element) {
  return fmt::format("({},{})", element.real(), element.imag());
}

template <class T>
std::string shown_all(const std::vector<T>& elements, const char* between) {
  std::string text;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) text += between;
    text += shown_element(static_cast<T>(elements[i]));
  }
  return text;
}

}  // namespace

std::uint64_t Value::count() const noexcept {
  std::uint64_t total = is_null ? 0 : 1;
  for (const std::uint64_t extent : extents) total *= extent;
  return total;
}

const Value* find(const Attributes& attributes, std::string_view name) noexcept {
  const auto found = std::ranges::find(attributes, name, &Attributes::value_type::first);
  return found == attributes.end() ? nullptr : &found->second;
}

Value decode(Type type, std::vector<std::uint64_t> extents, base::Bytes raw) {
  const Stripped stripped = strip(type);
  extents.insert(extents.end(), stripped.extents.begin(), stripped.extents.end());
  Value value;
  value.elements = decode_elements(*stripped.base, raw);
  value.extents = std::move(extents);
  value.type = std::move(type);
  return value;
}

std::optional<std::string> text_of(const Value& value) {
  const auto* texts = std::get_if<std::vector<std::string>>(&value.elements);
  return texts != nullptr && texts->size() == 1 ? std::optional(texts->front()) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers_of(const Value& value) {
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value.elements)) return *numbers;
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&value.elements);
  if (numbers == nullptr) return {};
  std::vector<std::int64_t> all;
  for (const std::uint64_t number : *numbers) {
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return {};
    all.push_back(static_cast<std::int64_t>(number));
  }
  return all;
}

std::optional<std::int64_t> integer_of(const Value& value) {
  const auto all = integers_of(value);
  return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
}

std::optional<std::string> shown(const Value& value) {
  return std::visit(
      [](const auto& elements) -> std::optional<std::string> {
        using Elements = std::remove_cvref_t<decltype(elements)>;
        if constexpr (std::is_same_v<Elements, std::monostate> || std::is_same_v<Elements, std::vector<std::byte>>) {
          return {};
        } else {
          const bool is_text = std::is_same_v<Elements, std::vector<std::string>>;
          return shown_all(elements, is_text ? "\n" : " ");
        }
      },
      value.elements);
}

}  // namespace lq::hdf5
