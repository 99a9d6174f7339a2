// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What formats whose fields lie in SciDAC records have in common: that for fields of any kind, and ILDG.
#pragma once

#include <array>
#include <span>

#include "format/format.hpp"
#include "format/lime/header.hpp"
#include "format/lime/place.hpp"
#include "format/lime/rules.hpp"
#include "format/scidac/meaning.hpp"
#include "format/scidac/mend.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/scan.hpp"
#include "format/scidac/texts.hpp"

namespace lq::format::scidac {

class ScidacFormat : public Container, public FieldFormat, public Mender, public Examiner {
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
  // The rules of records, beyond those of their headers.
  virtual void check(base::ByteSource& file, const Catalog& catalog, Findings& findings) const = 0;
};

}  // namespace lq::format::scidac
