// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/values.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

namespace lq::hdf5 {
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
  // Many writers of padded strings put a NUL there all the same.
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
