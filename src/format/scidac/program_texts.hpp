// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs state about their fields in texts of their own, in addition to the private XML of QIO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <limequat/field.hpp>
#include <limequat/lattice.hpp>
#include <limequat/metadata.hpp>

#include "format/scidac/documents.hpp"

namespace lq::format::scidac {

// The document that briefly describes a four-dimensional field: ildgFormat of ILDG (formats/ildg.md 3)
// and etmcFormat of tmLQCD (formats/scidac.md 6.1) have the same elements.
struct LatticeXml {
  std::string root;             // "ildgFormat" or "etmcFormat"
  std::string field;            // "su3gauge", "diracFermion", ...
  std::uint64_t precision = 0;  // 32 or 64
  Extents extents;
  std::uint64_t flavours = 0;  // number of following data records, stated by tmLQCD; 0: not stated
};

// Throws Error(malformed) that states what is missing or wrong; the caller adds the place.
LatticeXml decode_lattice(std::string_view document);

// N of "su<N>gauge", or 0.
int gauge_colors(std::string_view field) noexcept;

// The lattice of a field written by Grid: its files of fields have no scidac-private-file-xml, or one of another field;
// a record grid-format states the extents of the whole lattice (formats/scidac.md 6.3).

// Throws Error(malformed) that states what is missing or wrong; the caller adds the place.
Extents decode_grid_lattice(std::string_view document);

struct GridLattice {
  Extents extents;
  bool is_of_one_parity = false;  // half the extent in x
};
// The lattice that fits a record of the given number of bytes: all sites, or those of one parity.
GridLattice stored_lattice(const Extents& whole, const RecordInfo& info, std::uint64_t bytes);

// In five dimensions the first one is the fifth.
int x_of(const Extents& extents) noexcept;

// Fields with the sites of one parity (formats/scidac.md 6.5). QIO does not support them: programs write
// lattices of half the size and say so in their own texts.
struct Subset {
  bool is_odd = false;
  std::optional<std::size_t> halved = {};  // the dimension of half the extent; empty: the other sites are zeros
};

// From the texts of the file and of the field; empty for a field of all sites.
std::optional<Subset> subset_of(const Metadata& file_texts, const Metadata& field_texts);

// The first fact of that name in the text of that name; empty: there is none.
std::string_view fact_of(const Metadata& texts, std::string_view text, std::string_view key);

// The number of vectors, if a text of the file states it.
std::optional<std::uint64_t> stated_vectors(const Metadata& file_texts);

// The text that QUDA stores next to its vectors (formats/vectors.md 2): the contents of each, which the description of
// the record follows.
struct QudaText {
  std::uint64_t colors = 0, spins = 0;

  std::uint64_t numbers() const noexcept { return 2 * colors * spins; }  // per site of one vector, for one s
};

// Empty: the text is another one, or such vectors are impossible.
std::optional<QudaText> quda_text_of(std::string_view record_xml);

// A field of such vectors is described like QUDA's: a datum for each of them.
void describe_as_quda(const QudaText& text, const FieldSpec& spec, RecordInfo& info);

}  // namespace lq::format::scidac
