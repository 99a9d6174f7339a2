// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Structures of elements from XML and to XML (qioxml_internal.h): common parts of all
// information objects of QIO.
#pragma once

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include <qio.h>

namespace lq::compat::qio {

// An element of a text, as views of it; no name: there is none.
struct Element {
  std::string_view name, value;
  const char* rest = nullptr;  // the text after it
};
// Declarations and comments are skipped, as is white space around the value.
Element next_element(const char* text);

// An element with space for this many characters; longer ones are truncated.
template <std::size_t size>
void copy_cut(char (&to)[size], std::string_view text) {
  const std::size_t length = text.copy(to, size - 1);
  to[length] = '\0';
}

// QIO_SUCCESS, QIO_BAD_ARG if element or text is missing, QIO_ERR_ALLOC if it was truncated.
int put(QIO_TagCharValue* element, const char* text);
// Sets a meaningful number. `element` not null.
void set(QIO_TagIntValue& element, int value) noexcept;
// QIO_BAD_ARG for 0, which has no meaning.
int put(QIO_TagIntValue* element, int value);

// Calls each(tag, value) for the elements within that named `root`, for decode functions. QIO_BAD_XML if
// `text` is not one such element, QIO_ERR_ALLOC without memory.
template <class Each>
int for_each_element(QIO_String* text, std::string_view root, Each&& each) noexcept try {
  const char* const begin = QIO_string_ptr(text);
  if (begin == nullptr) return QIO_BAD_XML;
  const Element outer = next_element(begin);
  if (outer.name != root) return QIO_BAD_XML;
  std::string inner(outer.value);
  const char* at = inner.c_str();
  for (Element one = next_element(at); !one.name.empty(); one = next_element(one.rest)) {
    std::string tag(one.name), value(one.value);
    each(tag.data(), value.data());
  }
  return QIO_SUCCESS;
} catch (const std::bad_alloc&) {
  return QIO_ERR_ALLOC;
}

// Tags and elements in sequence; absent ones are omitted.
class Encoder {
 public:
  Encoder& add(const QIO_TagCharValue& element) noexcept;
  Encoder& add(const QIO_TagIntValue& element) noexcept;
  Encoder& add(const QIO_TagHex32Value& element) noexcept;
  Encoder& add(const QIO_TagIntArrayValue& element, int count) noexcept;
  Encoder& begin(const char* tag, const char* attributes) noexcept;
  Encoder& end(const char* tag) noexcept;
  const std::string& text() const noexcept { return text_; }
  // The text: all of them within the wrapper's element. Empty without memory, because C functions throw nothing.
  void wrap(const QIO_TagCharValue& wrapper, QIO_String* text) const;

 private:
  Encoder& append(std::string_view text) noexcept;
  template <class Value>
  Encoder& put(const Value& element, std::string_view value) noexcept;
  std::string text_;
  bool lacks_memory_ = false;
};

// A new object, freed by the program; null without memory.
template <class Info>
Info* make(const Info& beginning) noexcept {
  auto* memory = static_cast<Info*>(std::malloc(sizeof(Info)));
  if (memory != nullptr) *memory = beginning;
  return memory;
}

}  // namespace lq::compat::qio
