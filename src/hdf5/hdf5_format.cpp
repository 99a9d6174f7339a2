// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <array>

#include "hdf5/explain.hpp"
#include "hdf5/field_format.hpp"
#include "hdf5/scan.hpp"
#include "hdf5/superblock.hpp"

namespace lq::hdf5 {
namespace {

class Hdf5 final : public format::Container {
 public:
  format::Likeness recognise(base::ByteSource& file) const override {
    return find_signature(file) ? format::Likeness::yes : format::Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return hdf5::scan(file, limits); }
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
                                  .fields = &field_format()};
  return row;
}

}  // namespace lq::hdf5
