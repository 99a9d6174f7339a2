// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/rewrite.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include <fmt/format.h>

#include "diagnosis/link_reader.hpp"
#include "format/format.hpp"
#include "io/merge_texts.hpp"
#include "io/verdict.hpp"
#include "io/write.hpp"
#include "kernels/pack.hpp"
#include "sets/repack/examine.hpp"

namespace lq::diagnosis {
namespace {

// The links of a site as they are in memory.
class LinkFetch {
 public:
  LinkFetch(base::ByteSource& file, const Rewriting& how)
      : encoding_(*how.encoding), ordering_(how.ordering), reader_(encoding_, file), stored_(reader_.site_numbers()) {}

  void operator()(const Coord& x, void* site) {
    reader_.read(number_of(ordering_.sites, x), stored_);
    for (std::size_t link = 0; link < ordering_.links.size(); ++link) {
      const auto direction = static_cast<std::size_t>(ordering_.links[link]);
      place(stored_.data() + link * encoding_.numbers(), direction * encoding_.numbers(), site);
    }
  }

 private:
  void place(const double* u, std::size_t at, void* site) const noexcept {
    const auto n = static_cast<std::size_t>(encoding_.colors);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        const double* const element = u + 2 * (ordering_.is_transposed ? column * n + row : row * n + column);
        for (std::size_t part = 0; part < 2; ++part) put(at + 2 * (row * n + column) + part, element[part], site);
      }
    }
  }
  void put(std::size_t k, double value, void* site) const noexcept {
    if (encoding_.precision == Precision::single) {
      static_cast<float*>(site)[k] = static_cast<float>(value);
    } else {
      static_cast<double*>(site)[k] = value;
    }
  }

  Encoding encoding_;
  Ordering ordering_;
  LinkReader reader_;
  std::vector<double> stored_;
};

// The numbers of a site of any field, which are in another place and otherwise as stated.
class SiteFetcher {
 public:
  SiteFetcher(base::ByteSource& file, const Subject& subject, const SiteMap& map)
      : reader_(file, subject.offset, subject.site_bytes),
        map_(map),
        form_{.numbers = subject.spec.numbers,
              .memory = subject.spec.precision,
              .file = subject.spec.precision,
              .swap = (subject.byte_order == ByteOrder::big) != (std::endian::native == std::endian::big)} {}

  void operator()(const Coord& x, void* site) {
    const base::Bytes bytes = reader_.site(number_of(map_, x));
    kernels::unpack_sites(form_, bytes.data(), 1, static_cast<std::byte*>(site), 0);
  }

 private:
  SiteReader reader_;
  SiteMap map_;
  kernels::SiteForm form_;
};

Field field_of(const Subject& subject, base::ByteSource& file, const Rewriting& how) {
  Field field{.spec = subject.spec};
  if (!how.encoding) {
    field.fetch = SiteFetcher(file, subject, how.ordering.sites);
    return field;
  }
  field.spec = gauge_spec(how.encoding->precision, how.encoding->colors, how.encoding->links);
  field.spec.numbers = static_cast<std::uint64_t>(how.encoding->links) * how.encoding->numbers();
  field.fetch = LinkFetch(file, how);
  return field;
}

WriteOptions write_options(const Subject& subject, const FieldSpec& spec, const Rewriting& how) {
  WriteOptions options;
  options.overwrite = how.overwrite;
  options.verify = Verify::read_back;
  if (!subject.entry) return options;
  ConvertOptions conversion;
  conversion.write.precision = spec.precision;
  if (how.plaquette) conversion.write.metadata.emplace_back("plaquette", fmt::format("{:.12f}", *how.plaquette));
  const format::Format& target = format::format_for(how.path, spec, how.ordering.sites.extents);
  options.metadata = io::merge_texts(subject.catalog, *subject.entry, true, target, conversion);
  return options;
}

// By the examination that all files get.
void require_undamaged(storage::Transport& transport, base::ByteSource& written, const std::string& from,
                       const Rewriting& how) {
  const Verification found = sets::examine(transport, written, how.path, {.threads = how.threads});
  if (found.verdict <= Verdict::unproven) return;
  const auto error = io::first_error(found);
  throw Error(Code::wrong_state,
              fmt::format("{}: it is not rewritten, because the new file would be {}{}", from, name(found.verdict),
                          error ? fmt::format(": {}", error->what()) : ""),
              {.path = how.path});
}

}  // namespace

bool is_mended(const Finding& finding) noexcept {
  constexpr std::array<std::string_view, 17> rules = {
      "precision",  "rows",       "offset",        "byte-order",  "word-order",       "transposed",
      "site-order", "link-order", "complex-parts", "writer-grid", "plaquette-factor", "colors",
      "axes",       "parity",     "record-marks",  "ambiguous",   "unproven"};
  return std::ranges::find(rules, finding.rule) != rules.end();
}

Report rewrite(const Subject& subject, base::ByteSource& file, const Rewriting& how) {
  const Field field = field_of(subject, file, how);
  const Grid grid({}, how.ordering.sites.extents);
  const WriteOptions options = write_options(subject, field.spec, how);
  storage::Transport& transport = storage::resolve(how.path);
  io::FieldWriter writer(transport, Communicator(), how.path, options);
  writer.keep_private(file.path());
  Report report = io::append_field(writer, transport, grid, how.path, options.name, field, options.metadata, options);
  writer.complete(report);
  require_undamaged(transport, *transport.open_read(writer.temporary_path()), file.path(), how);
  writer.publish(report);
  return report;
}

}  // namespace lq::diagnosis
