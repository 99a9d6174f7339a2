// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small records: prefetched through one window, their texts, and the numbers in their XML documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/lattice.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "base/xml.hpp"

namespace lq::format {

// Small pieces of a file in ascending order, and the texts of small records.
class ReadAhead {
 public:
  static constexpr std::size_t largest_window = 64 * 1024;

  explicit ReadAhead(base::ByteSource& file) : file_(file), size_(file.size()) {}

  std::uint64_t size() const noexcept { return size_; }
  base::ByteSource& file() const noexcept { return file_; }
  // The `length` (at most largest_window) bytes at `offset`, fewer at the end of the file; valid until the next call.
  base::Bytes view(std::uint64_t offset, std::size_t length);

 private:
  base::ByteSource& file_;
  std::uint64_t size_;
  std::vector<std::byte> window_;
  std::uint64_t start_ = 0;
  std::size_t held_ = 0;
  std::size_t next_window_ = 4096;
};

// Contents of small records, with bounds on the memory used. Texts end with a NUL in some programs'
// files and without in others': trailing NULs are removed.
class TextReader {
 public:
  TextReader(ReadAhead& file, const Limits& limits)
      : file_(file), text_bytes_(limits.text_bytes), budget_(4 * limits.text_bytes) {}

  // For metadata: empty if the contents are not text, or exceed the limits.
  std::optional<std::string> text(const Record& record);
  // For an XML document or another record that must be read: Error(too_large) above 1 MiB.
  std::string document(const Record& record);

 private:
  std::string contents(const Record& record);

  ReadAhead& file_;
  std::uint64_t text_bytes_;
  std::uint64_t budget_;  // bytes left for all texts together
};

// Numbers in the small XML documents of lattice files, checked.

inline constexpr std::string_view xml_declaration = R"(<?xml version="1.0" encoding="UTF-8"?>)";

// Error(malformed) unless the root has that name.
base::xml::Element parse_document(std::string_view document, std::string_view root);

// All of these throw Error(malformed) that names the element.
std::uint64_t required_number(const base::xml::Element& parent, std::string_view name);
std::optional<std::uint64_t> optional_number(const base::xml::Element& parent, std::string_view name);
// White space separated numbers below 2^62, at most as many as there are dimensions.
Coord required_coord(const base::xml::Element& parent, std::string_view name);

// The plaquette and the link trace of each gauge field, as the texts of the field or of the file state them.
LQ_INNER void state_observables(Catalog& catalog);

// Error(malformed): an extent is zero, or the number of sites does not fit 62 bits.
void check_extents(const Extents& extents, std::string_view where);

}  // namespace lq::format
