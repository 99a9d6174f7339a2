// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The XML subset of lattice files: flat documents with one root. Reading tolerates namespace prefixes, attributes,
// white space, any element order and trailing NULs. It never expands entities beyond the five of the XML standard, and
// it refuses documents above its limits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/inner.hpp"

namespace lq::base::xml {

struct LQ_INNER Element {
  std::string name;  // without namespace prefix
  std::string text;  // of the element itself, white space trimmed at both ends
  std::vector<Element> children;

  const Element* child(std::string_view name) const noexcept;            // the first of that name, or nullptr
  std::optional<std::string_view> text_of(std::string_view name) const;  // text of that child
};

struct Limits {
  std::size_t bytes = 1 << 20;
  int depth = 32;
  std::size_t elements = 10000;
};

// Throws Error(malformed) with the byte position within the document and the reason.
LQ_INNER Element parse(std::string_view document, const Limits& limits = {});

// Escapes & < > " for use as element text.
LQ_INNER std::string escape(std::string_view text);
// "<name>text</name>", text escaped.
LQ_INNER std::string element(std::string_view name, std::string_view text);

}  // namespace lq::base::xml
