// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What formats have in common whose files are a header and the numbers of one field behind it, and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/format.hpp"

namespace lq::format::flat {

// What a header says.
struct Head {
  std::string name;  // of the field; empty: as its kind
  Payload payload;   // its offset is the end of the header, its length follows from the rest
  Sums sums = {};
  Metadata metadata = {};
  std::optional<double> plaquette = {}, link_trace = {};
  std::vector<Annotation> parts = {};  // every byte of the header, in order
};

class Family : public Container, public FieldFormat {
 public:
  Catalog scan(base::ByteSource& file, const Limits& limits) const final;
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const final;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const final;
  // unsupported: there is a header and a field, nothing else.
  Layout plan_record(const RecordRequest& request) const final;
  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const Digest& sums) const final;

 private:
  virtual std::string_view name() const = 0;
  // The section of the format's page that describes the data: "formats/nersc.md 4".
  virtual std::string_view data_section() const = 0;
  // malformed, unsupported, truncated: what is wrong, in a sentence that does not name the file. What can be tolerated
  // becomes a finding; their rules begin with the name of the format.
  virtual Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const = 0;
};

// Names of metadata that only tell what stands in a place of its own.
bool is_measured(std::string_view name) noexcept;

// The types of the two records that a file is shown as: "nersc-header", "nersc-data".
std::string header_type(std::string_view format);
std::string data_type(std::string_view format);

// Sets payload.length; too_large: it does not fit 63 bits; malformed: an extent below 1. The offset and the rest are
// set.
void set_length(Payload& payload);

// A file of one field whose header is known but for what depends on the data.
Layout layout_of(std::string_view header, Payload payload);
Literal literal_at(std::uint64_t offset, std::string_view bytes);

// unsupported, with the sentence "format "NAME" holds ..., not ...".
[[noreturn]] void refuse(std::string_view format, std::string_view holds, const std::string& what);
// unsupported unless a whole gauge field in four dimensions is asked for, the first field of its file.
void require_gauge(const FieldRequest& request, std::string_view format, std::string_view holds);
// unsupported unless it is the first field of its file, on the whole lattice.
void require_alone(const FieldRequest& request, std::string_view format, std::string_view holds);
// unsupported: a text was given that the format has no place for.
void require_held(const FieldRequest& request, const Metadata& held, std::string_view format);

// The order of numbers in a file of `directions` (of the links, as the file has them) with whole matrices.
std::vector<std::uint32_t> link_order(const std::vector<int>& directions, int colors);

}  // namespace lq::format::flat
