// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/elements.hpp"

#include <qio.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

namespace lq::compat::qio {
namespace {

constexpr std::string_view white = " \t\n\r";

struct Tag {
  std::string_view name;
  const char* begin = nullptr;  // its "<"; or the end of the text
  const char* end = nullptr;    // after its ">"
  bool is_empty_element = false;
};

Tag next_tag(const char* text) {
  const std::string_view all(text);
  const std::size_t open = all.find('<');
  if (open == std::string_view::npos) return {{}, text + all.size(), text + all.size()};
  const std::size_t name = std::min(all.find_first_not_of(white, open + 1), all.size());
  const std::size_t name_end = std::min(all.find_first_of(" >\t\n\r", name), all.size());
  const std::size_t close = std::min(all.find('>', name_end), all.size());
  const std::size_t end = std::min(close + 1, all.size());
  Tag tag{all.substr(name, name_end - name), text + open, text + end};
  if (close > name && close < all.size() && all[close - 1] == '/' && close - 1 != name) {
    tag.is_empty_element = true;
    if (tag.name.ends_with('/')) tag.name.remove_suffix(1);
  }
  return tag;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

const char* behind_comment(const Tag& tag) {
  const char* const end = std::strstr(tag.begin, "-->");
  return end == nullptr ? tag.begin + std::strlen(tag.begin) : end + 3;
}

}  // namespace

Element next_element(const char* text) {
  Tag tag = next_tag(text);
  while (tag.name.starts_with('?') || tag.name.starts_with('!')) {
    tag = next_tag(tag.name.starts_with("!--") ? behind_comment(tag) : tag.end);
  }
  if (tag.is_empty_element || tag.name.empty()) return {tag.name, {}, tag.end};
  Tag last = next_tag(tag.end);
  while (*last.begin != '\0' && !(last.name.starts_with('/') && last.name.substr(1) == tag.name)) {
    last = next_tag(last.end);
  }
  return {tag.name, trimmed({tag.end, static_cast<std::size_t>(last.begin - tag.end)}), last.end};
}

int put(QIO_TagCharValue* element, const char* text) {
  if (element == nullptr) return QIO_BAD_ARG;
  element->occur = 0;
  if (text == nullptr) return QIO_BAD_ARG;
  copy_cut(element->value, text);
  element->occur = 1;
  return std::strlen(text) >= QIO_MAXVALUESTRING ? QIO_ERR_ALLOC : QIO_SUCCESS;
}

void set(QIO_TagIntValue& element, int value) noexcept {
  element.value = value;
  element.occur = 1;
}

int put(QIO_TagIntValue* element, int value) {
  if (element == nullptr) return QIO_BAD_ARG;
  element->occur = 0;
  if (value == 0) return QIO_BAD_ARG;
  set(*element, value);
  return QIO_SUCCESS;
}

void Encoder::append(std::string_view text) noexcept try { text_ += text; } catch (const std::bad_alloc&) {
  lacks_memory_ = true;
}

void Encoder::begin(const char* tag, const char* attributes) noexcept {
  for (const char* const text : {"<", tag, attributes[0] == '\0' ? "" : " ", attributes, ">"}) append(text);
}

void Encoder::end(const char* tag) noexcept {
  for (const char* const text : {"</", tag, ">"}) append(text);
}

Encoder& Encoder::add(const QIO_TagCharValue& element) {
  if (element.occur == 0) return *this;
  begin(element.tag, element.attr);
  append(element.value);
  end(element.tag);
  return *this;
}

Encoder& Encoder::add(const QIO_TagIntValue& element) {
  if (element.occur == 0) return *this;
  begin(element.tag, element.attr);
  append(std::to_string(element.value));
  end(element.tag);
  return *this;
}

Encoder& Encoder::add(const QIO_TagHex32Value& element) {
  if (element.occur == 0) return *this;
  begin(element.tag, element.attr);
  char digits[16];
  std::snprintf(digits, sizeof digits, "%x", element.value);
  append(digits);
  end(element.tag);
  return *this;
}

Encoder& Encoder::add(const QIO_TagIntArrayValue& element, int count) {
  if (element.occur == 0) return *this;
  begin(element.tag, element.attr);
  for (int i = 0; i < std::min(count, QIO_MAXINTARRAY); ++i) append(std::to_string(element.value[i]) + ' ');
  end(element.tag);
  return *this;
}

void Encoder::wrap(const QIO_TagCharValue& wrapper, QIO_String* text) const {
  Encoder whole;
  whole.append(QIO_XMLINFO);
  whole.begin(wrapper.tag, wrapper.attr);
  whole.append(text_);
  whole.end(wrapper.tag);
  QIO_string_set(text, lacks_memory_ || whole.lacks_memory_ ? nullptr : whole.text_.c_str());
}

}  // namespace lq::compat::qio
