// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/fields/field_format.hpp"

#include <algorithm>
#include <array>

#include "format/optional_interfaces.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/fields/field_plan.hpp"
#include "hdf5/fields/store_sums.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {
namespace {

// Texts that say how numbers lie in a file of another format, which says nothing here.
constexpr std::array<std::string_view, 5> of_other_files{
    "ildg-format", "scidac-private-file-xml", "scidac-private-record-xml", "scidac-checksum", "limequat-slices"};
// Texts that repeat the precision.
constexpr std::array<std::string_view, 1> of_numbers{"scidac-record-xml"};

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Fields final : public format::FieldFormat, public format::RequiresUniqueNames {
 public:
  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 3> known{"layout", "dataset_chunk", "filters"};
    return known;
  }
  format::Layout plan(const format::FieldRequest& request) const override { return plan_field(request); }
  format::Layout plan_record(const format::RecordRequest& request) const override { return hdf5::plan_record(request); }

  Metadata carried(const Metadata& texts, bool precision_changes) const override {
    Metadata carried;
    for (const auto& [name, text] : texts) {
      const bool again = std::ranges::find(carried, name, &std::pair<std::string, std::string>::first) != carried.end();
      const bool outdated = precision_changes && is_among(of_numbers, name);
      if (!again && !outdated && !is_among(of_other_files, name) && !is_reserved(name))
        carried.emplace_back(name, text);
    }
    return carried;
  }

  const format::TileCodec* tile_codec(std::string_view encoding) const override { return hdf5::tile_codec(encoding); }

  std::vector<format::Literal> refer(std::span<const format::Reference> fields) const override {
    return hdf5::refer(fields);
  }

  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const format::Digest& sums) const override {
    hdf5::store_sums(file, catalog, entry, sums);
  }
};

}  // namespace

const format::FieldFormat& field_format() {
  static const Fields fields;
  return fields;
}

}  // namespace lq::hdf5
