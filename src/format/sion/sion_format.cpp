// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of SIONlib: logical files of many tasks in one or several physical files, no lattice.

#include <algorithm>
#include <array>

#include <limequat/error.hpp>

#include "format/formats.hpp"
#include "format/sion/head.hpp"
#include "format/sion/scan.hpp"

namespace lq::format::sion {

namespace {

class Sion final : public Container {
 public:
  Likeness recognise(base::ByteSource& file) const override;
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return sion::scan(file, limits); }
  std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const override;
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override {
    return catalog.findings;  // the scan looks at everything there is to look at
  }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog&) const override { return sion::explain(file); }
};

// A word follows that tells the byte order, 0 or 1. Texts that begin with these letters go on with letters.
bool goes_on_as_text(base::Bytes word) {
  return !word.empty() && std::ranges::all_of(word, [](std::byte byte) {
    const auto letter = std::to_integer<unsigned char>(byte);
    return (letter >= 0x20 && letter < 0x7f) || letter == '\t' || letter == '\n' || letter == '\r';
  });
}

Likeness Sion::recognise(base::ByteSource& file) const {
  std::array<std::byte, magic.size() + 4> start{};
  const base::Bytes bytes = base::Bytes(start).first(file.read_at(0, start));
  if (!sion::has_magic(bytes)) return Likeness::no;
  return goes_on_as_text(bytes.subspan(magic.size())) ? Likeness::no : Likeness::yes;
}

std::vector<RecordPiece> Sion::pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const {
  const auto name = parse_record_name(record.type);
  const bool is_in_one = !name || (!name->key && record.pieces == 1);
  if (is_in_one) return Container::pieces(file, catalog, record);
  return record_pieces(file, *name);
}

}  // namespace

}  // namespace lq::format::sion

const lq::format::Format& lq::format::sion_format() {
  using namespace sion;
  static const Sion sion;
  static constexpr std::array<std::string_view, 1> suffixes{".sion"};
  static const Format row{.info = {"sion", "the streams of tasks", "\"sion\"", suffixes, Contents::streams},
                          .container = &sion};
  return row;
}
