// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/elements.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <qio.h>

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

Encoder& Encoder::append(std::string_view text) noexcept try {
  text_ += text;
  return *this;
} catch (const std::bad_alloc&) {
  lacks_memory_ = true;
  return *this;
}

Encoder& Encoder::begin(const char* tag, const char* attributes) noexcept {
  for (const char* const text : {"<", tag, attributes[0] == '\0' ? "" : " ", attributes, ">"}) append(text);
  return *this;
}

Encoder& Encoder::end(const char* tag) noexcept { return append("</").append(tag).append(">"); }

template <class Value>
Encoder& Encoder::put(const Value& element, std::string_view value) noexcept {
  return element.occur == 0 ? *this : begin(element.tag, element.attr).append(value).end(element.tag);
}

Encoder& Encoder::add(const QIO_TagCharValue& element) noexcept { return put(element, element.value); }

Encoder& Encoder::add(const QIO_TagIntValue& element) noexcept { return put(element, std::to_string(element.value)); }

Encoder& Encoder::add(const QIO_TagHex32Value& element) noexcept {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%x", element.value);
  return put(element, digits);
}

Encoder& Encoder::add(const QIO_TagIntArrayValue& element, int count) noexcept {
  if (element.occur == 0) return *this;
  begin(element.tag, element.attr);
  for (int i = 0; i < std::min(count, QIO_MAXINTARRAY); ++i) append(std::to_string(element.value[i]) + ' ');
  return end(element.tag);
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

// Tags and values of XML in the caller's memory (qioxml_internal.h).

using lq::compat::qio::copy_cut;
using lq::compat::qio::Encoder;

namespace {

// Appends to `buf` if there is space for the text and a NUL; `remainder` is the space left.
char* append_text(char* buf, std::string_view text, int& remainder) {
  const std::size_t room = remainder > 0 ? static_cast<std::size_t>(remainder) - 1 : 0;
  const std::size_t length = std::min(room, text.size());
  if (remainder > 0) {
    std::memcpy(buf, text.data(), length);
    buf[length] = '\0';
  }
  remainder -= static_cast<int>(text.size());
  return buf + length;
}

template <class Value, class... Count>
char* append_element(char* buf, const Value& element, int& remainder, Count... count) {
  return element.occur == 0 ? buf : append_text(buf, Encoder().add(element, count...).text(), remainder);
}

template <class Value>
bool is_named(const char* tag, Value* element) {
  return std::strcmp(tag, element->tag) == 0;
}

// Attributes are ignored.
template <class Value>
void count_in(Value* element) {
  element->attr[0] = '\0';
  ++element->occur;
}

template <class Value>
int check_once(const Value& element, const char* function, bool is_quiet = false) {
  if (element.occur == 1) return 0;
  if (!is_quiet || QIO_verbosity() >= QIO_VERB_DEBUG) {
    std::printf("%s: element %s occurs %d times\n", function, element.tag, element.occur);
  }
  return 1;
}

}  // namespace

extern "C" {

char* QIO_next_token(char* parse_pt, char* tokens) { return parse_pt + std::strcspn(parse_pt, tokens); }

char* QIO_next_nontoken(char* parse_pt, char* tokens) { return parse_pt + std::strspn(parse_pt, tokens); }

char* QIO_strncat(char* s1, char* s2, int* n) {
  if (*n < 0) return s1;
  const auto length = static_cast<int>(std::strlen(s2));
  std::strncat(s1, s2, static_cast<std::size_t>(*n));
  *n = std::max(0, *n - length);
  return s1;
}

char* QIO_next_tag(char* parse_pt, char* tag, char** left_angle) {
  tag[0] = '\0';
  char* at = std::strchr(parse_pt, '<');
  *left_angle = at != nullptr ? at : parse_pt + std::strlen(parse_pt);
  if (at == nullptr) return *left_angle;
  at += 1 + std::strspn(at + 1, " \t\n\r");
  const std::size_t length = std::strcspn(at, " >\t\n\r");
  const std::size_t kept = std::min<std::size_t>(length, QIO_MAXTAG - 1);
  std::memcpy(tag, at, kept);
  tag[kept] = '\0';
  at += length + std::strcspn(at + length, ">");
  return *at == '\0' ? at : at + 1;
}

char* QIO_get_tag_value(char* parse_pt, char* tag, char* value_string) {
  const auto element = lq::compat::qio::next_element(parse_pt);
  const std::size_t tag_length = element.name.copy(tag, QIO_MAXTAG - 1);
  tag[tag_length] = '\0';
  const std::size_t value_length = element.value.copy(value_string, QIO_MAXVALUESTRING - 1);
  value_string[value_length] = '\0';
  return const_cast<char*>(element.rest);
}

void QIO_decode_as_string(char* tag, char* value_string, QIO_TagCharValue* tag_value) {
  if (!is_named(tag, tag_value)) return;
  copy_cut(tag_value->value, value_string);
  count_in(tag_value);
}

void QIO_decode_as_int(char* tag, char* value_string, QIO_TagIntValue* tag_value) {
  if (!is_named(tag, tag_value)) return;
  tag_value->value = std::atoi(value_string);
  count_in(tag_value);
}

void QIO_decode_as_hex32(char* tag, char* value_string, QIO_TagHex32Value* tag_value) {
  if (!is_named(tag, tag_value)) return;
  char* end = nullptr;
  const unsigned long value = std::strtoul(value_string, &end, 16);
  if (end == value_string) return;
  tag_value->value = static_cast<uint32_t>(value);
  count_in(tag_value);
}

void QIO_decode_as_intlist(char* tag, char* value_string, QIO_TagIntArrayValue* tag_value) {
  if (!is_named(tag, tag_value)) return;
  tag_value->n = 0;
  tag_value->attr[0] = '\0';
  char* at = value_string;
  while (true) {
    char* end = nullptr;
    const long number = std::strtol(at, &end, 10);
    if (end == at) break;
    if (tag_value->n == QIO_MAXINTARRAY) {
      std::printf("QIO_decode_as_intlist: %s has more than %d numbers\n", tag, QIO_MAXINTARRAY);
      return;
    }
    tag_value->value[tag_value->n++] = static_cast<int>(number);
    at = end;
  }
  if (tag_value->n > 0) ++tag_value->occur;
}

char* QIO_write_tag(char* buf, char* tag, char* attr, int* remainder) {
  return append_text(buf, Encoder().begin(tag, attr).text(), *remainder);
}

char* QIO_write_endtag(char* buf, char* tag, int* remainder) {
  return append_text(buf, Encoder().end(tag).text(), *remainder);
}

char* QIO_encode_as_string(char* buf, QIO_TagCharValue* tag_value, int* remainder) {
  return append_element(buf, *tag_value, *remainder);
}

char* QIO_encode_as_int(char* buf, QIO_TagIntValue* tag_value, int* remainder) {
  return append_element(buf, *tag_value, *remainder);
}

char* QIO_encode_as_hex32(char* buf, QIO_TagHex32Value* tag_value, int* remainder) {
  return append_element(buf, *tag_value, *remainder);
}

char* QIO_encode_as_intlist(char* buf, QIO_TagIntArrayValue* tag_value, int n, int* remainder) {
  return append_element(buf, *tag_value, *remainder, n);
}

int QIO_check_string_occur(QIO_TagCharValue* tag_value) { return check_once(*tag_value, __func__, true); }
int QIO_check_int_occur(QIO_TagIntValue* tag_value) { return check_once(*tag_value, __func__); }
int QIO_check_intarray_occur(QIO_TagIntArrayValue* tag_value) { return check_once(*tag_value, __func__); }
int QIO_check_hex32_occur(QIO_TagHex32Value* tag_value) { return check_once(*tag_value, __func__); }

}  // extern "C"
