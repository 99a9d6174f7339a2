// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For tests: a layout carried out in memory, and records in a row.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "format/format.hpp"
#include "format/lime/header.hpp"

namespace lq::format::testing {

inline void put(std::string& file, std::uint64_t offset, base::Bytes bytes) {
  if (offset + bytes.size() > file.size()) throw std::logic_error("a literal reaches beyond the end of the layout");
  std::memcpy(file.data() + offset, bytes.data(), bytes.size());
}

// The file that `layout` describes, appended to `before`; every byte nobody writes is `filler`.
inline std::string assemble(const Layout& layout, std::string_view data, const Digest& digest, std::string before = {},
                            char filler = '\0') {
  std::string file = std::move(before);
  file.resize(layout.end.at(0), filler);
  for (const Literal& literal : layout.head) put(file, literal.offset, literal.bytes);
  for (const Payload& payload : layout.payload) put(file, payload.offset, base::as_bytes(data));
  if (layout.tail) {
    for (const Literal& literal : layout.tail(digest)) put(file, literal.offset, literal.bytes);
  }
  return file;
}

inline std::string record(std::string_view type, std::string_view contents, bool mb_flag, bool me_flag) {
  lime::Header header;
  header.mb_flag = mb_flag;
  header.me_flag = me_flag;
  header.type = type;
  header.data_length = contents.size();
  const lime::HeaderBytes bytes = lime::encode(header);
  std::string text(base::as_text(bytes));
  text += contents;
  text.append(lime::padding(contents.size()), '\0');
  return text;
}

inline Catalog scan(const Format& format, std::string_view bytes, const Limits& limits = {}) {
  base::MemorySource file(base::as_bytes(bytes), "test.lime");
  return format.container->scan(file, limits);
}

}  // namespace lq::format::testing
