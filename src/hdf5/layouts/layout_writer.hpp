// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts of lattice fields for writing: the datasets of a field, and its description in attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/format.hpp"
#include "hdf5/making/make.hpp"

namespace lq::hdf5 {

// A field as datasets: one, or one for each of the arrays among which its numbers are divided.
struct FieldDatasets {
  std::vector<DatasetPlan> datasets;  // without chunks and filters
  SiteOrder order;                    // order of the sites, fastest first; the dataspace has them slowest first
  ByteOrder byte_order = ByteOrder::little;
  std::vector<SumName> sums;  // sums that are stored
};

// Facts that are known when everything has been written.
struct FieldFacts {
  const format::FieldRequest& request;
  const format::Digest& digest;                // without sums: zeros instead, to find the size of the file
  std::optional<std::int64_t> microseconds{};  // since 1970; empty: time stamps are off
};

class LayoutWriter {
 public:
  virtual ~LayoutWriter() = default;
  virtual std::string_view name() const noexcept = 0;
  // unsupported: the layout cannot store such fields; names one that can.
  virtual FieldDatasets datasets(const format::FieldRequest& request) const = 0;
  // Attributes, and what belongs to the whole file; put_sums() adds the sums.
  virtual void describe(hid_t file, std::span<const Handle> datasets, const FieldDatasets& plan,
                        const FieldFacts& facts) const = 0;
  virtual void put_sums(std::span<const Handle> datasets, const FieldDatasets& plan, const FieldFacts& facts) const = 0;
};

const LayoutWriter& native_writer();
const LayoutWriter& qdp_writer();
const LayoutWriter& qlua_writer();
// The first is the default. invalid_argument lists the existing names.
std::span<const LayoutWriter* const> layout_writers();
const LayoutWriter& layout_writer(std::string_view name);

// Lattice extents of a dataspace with sites in `order`, slowest first.
std::vector<hsize_t> dataspace_of(const Extents& extents, const SiteOrder& order);
// Words of a stored sum; zeros if it is not known yet.
std::vector<std::uint32_t> words_of(const FieldFacts& facts, const SumName& name, std::size_t values);
// The user's texts as attributes; invalid_argument for names that layouts use themselves.
void put_metadata(hid_t object, const Metadata& metadata, const ErrorPlace& where);
// Names of attributes that the layouts native and qdp use.
bool is_reserved(std::string_view name) noexcept;
// The SciDAC checksum of a field, x fastest, and the checksums of its slices, as attributes.
std::vector<SumName> scidac_sums(const format::FieldRequest& request);
void put_scidac_sums(hid_t dataset, const FieldFacts& facts, const ErrorPlace& where);
// The writing program, and the time.
void put_origin(hid_t dataset, const FieldFacts& facts, const ErrorPlace& where);

}  // namespace lq::hdf5
