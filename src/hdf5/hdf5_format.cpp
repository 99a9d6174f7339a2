// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/component.hpp"
#include "hdf5/fields/examiner.hpp"
#include "hdf5/fields/field_format.hpp"
#include "hdf5/fields/mender.hpp"
#include "hdf5/fields/scan.hpp"
#include "hdf5/headers/explain.hpp"
#include "hdf5/headers/superblock.hpp"
#include "hdf5/tree/contents.hpp"

namespace lq::hdf5 {
namespace {

// The field whose record stands for several datasets; nullptr: it is a dataset.
const FieldEntry* field_in_arrays(const Catalog& catalog, const Record& record) {
  for (const FieldEntry& field : catalog.fields) {
    if (field.payload.arrays > 1 && &catalog.records[field.record] == &record) return &field;
  }
  return nullptr;
}

class Hdf5 final : public format::Container {
 public:
  format::Likeness recognise(base::ByteSource& file) const override {
    return find_signature(file) ? format::Likeness::yes : format::Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return hdf5::scan(file, limits); }
  // The arrays of a field that lies in several datasets; else the only piece of a dataset.
  std::vector<format::RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog,
                                          const Record& record) const override {
    const FieldEntry* field = field_in_arrays(catalog, record);
    if (field == nullptr) return Container::pieces(file, catalog, record);
    std::vector<format::RecordPiece> all;
    for (const Tile& tile : field->payload.tiles) all.push_back({tile.file, tile.offset, tile.bytes});
    return all;
  }
  std::unique_ptr<base::ByteSource> contents(base::ByteSource& file, const Catalog& catalog,
                                             const Record& record) const override {
    const FieldEntry* field = field_in_arrays(catalog, record);
    if (field == nullptr) return contents_of(file, record.type);
    if (field->payload.block.size() == 0) return nullptr;
    throw Error(Code::unsupported,
                fmt::format("{}: {} is stored in several datasets, each in chunks; export them one by one", file.path(),
                            base::printable(record.type)),
                {.path = file.path(), .record = record.type});
  }
  // All rules are looked at by scan().
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override { return catalog.findings; }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override {
    return hdf5::explain(file, catalog);
  }
};

}  // namespace

const format::Format& format() {
  static const Hdf5 hdf5;
  static constexpr std::array<std::string_view, 2> suffixes{".h5", ".hdf5"};
  static const format::Format row{.info = {.name = "hdf5",
                                           .holds = "fields of any kind, arrays and texts, in groups",
                                           .begins = "\"\\x89HDF\"",
                                           .suffixes = suffixes,
                                           .contents = Contents::fields},
                                  .container = &hdf5,
                                  .records = &field_format(),
                                  .fields = &field_format(),
                                  .mender = &mender(),
                                  .examiner = &examiner()};
  return row;
}

LQ_REGISTER_FORMAT(hdf5, &format)

}  // namespace lq::hdf5
