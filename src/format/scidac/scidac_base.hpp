// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of formats whose fields are in SciDAC records (the one for fields of any kind, and ILDG):
// records into fields, and repair of damaged files.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/format.hpp"
#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::scidac {

// Records into fields: the one reader of lattice files in LIME, for SciDAC, ILDG and the programs that mix them.

Catalog scan(base::ByteSource& file, const Limits& limits, std::string_view format_name);

// Checks that a scan omits: whether texts contain other records, the checksums of data without a lattice, and
// whether numbers have the described precision, if only that determines their number.
Examined examine(base::ByteSource& file, const Catalog& catalog);

// Repairs damaged SciDAC and ILDG files (formats/scidac.md 9): headers, documents whose contents follow from
// another document and the length of the data, and the records of sums.

// Writes ildg-format; empty if such a document must not be written.
using EncodeLattice = std::function<std::string(const FieldSpec& spec, const Extents& extents)>;

// As Mender::mend.
std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, const EncodeLattice& encode_lattice,
                                  Findings& done);

// As FieldFormat::store_sums.
void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums);

class ScidacFormat : public Container, public FieldFormat, public Repairer, public Examiner {
 public:
  Catalog scan(base::ByteSource& file, const Limits& limits) const final { return scidac::scan(file, limits, name()); }
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const final {
    Findings findings;
    for (const Finding& finding : catalog.findings) findings.add(finding);
    const Catalog own = of_file(file, catalog);
    lime::check_headers(file, own, findings);
    check(file, own, findings);
    for (Finding& finding : examine(file, catalog, {}).findings) findings.add(std::move(finding));
    return findings.take();
  }
  Examined examine(base::ByteSource& file, const Catalog& catalog, const Limits&) const final {
    return scidac::examine(file, of_file(file, catalog));
  }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const final {
    return lime::explain(file, of_file(file, catalog), meaning_of);
  }
  Layout plan_record(const RecordRequest& request) const final {
    check_user_type(request.type);
    return lime::plan_record(request.type, request.contents, request.offset);
  }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 1> known{"parts"};
    return known;
  }
  Metadata carried(const Metadata& texts, bool precision_changes) const final {
    return carried_texts(texts, precision_changes);
  }
  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const Digest& sums) const final {
    scidac::store_sums(file, catalog, entry, sums);
  }

 private:
  // Without the records of the other files of a field that is spread over several.
  static Catalog of_file(const base::ByteSource& file, const Catalog& catalog) {
    Catalog own = catalog;
    if (own.files.empty()) return own;
    std::erase_if(own.records, [&](const Record& record) {
      return catalog.files[static_cast<std::size_t>(record.file)] != file.path();
    });
    own.file_bytes = file.size();
    return own;
  }

  virtual std::string_view name() const = 0;
  // The rules of records, in addition to those of their headers.
  virtual void check(base::ByteSource& file, const Catalog& catalog, Findings& findings) const = 0;
};

}  // namespace lq::format::scidac
