// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rewrites a file with correct numbers in the wrong form or order into the form of its format.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include <fmt/format.h>

#include "diagnosis/diagnose.hpp"
#include "diagnosis/site_map.hpp"
#include "format/format.hpp"
#include "io/conversion.hpp"
#include "io/transfer.hpp"
#include "io/verdict.hpp"
#include "kernels/pack.hpp"
#include "sets/repack/repair.hpp"

namespace lq::diagnosis {

DeclaredSites::DeclaredSites(const Sequence& found, const Ordering& found_ordering, const Encoding& declared,
                             const Ordering& declared_ordering)
    : path_(found.file->path()),
      found_ordering_(found_ordering),
      declared_ordering_(declared_ordering),
      declared_(declared),
      reader_(found.encoding, *found.file),
      found_numbers_(reader_.site_numbers()),
      numbers_(reader_.site_numbers()),
      site_(static_cast<std::size_t>(declared.site_bytes())) {}

void DeclaredSites::encode_site(std::uint64_t number) {
  const Coord x = site_of(declared_ordering_.sites, number);
  reader_.read(number_of(found_ordering_.sites, x), found_numbers_);
  reorder_links(declared_, found_ordering_, declared_ordering_, found_numbers_.data(), numbers_.data());
  encode(declared_, numbers_, site_);
}

std::size_t DeclaredSites::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && offset + done < size()) {
    const std::uint64_t at = offset + done;
    encode_site(at / site_.size());
    const auto within = static_cast<std::size_t>(at % site_.size());
    const std::size_t wanted = std::min(site_.size() - within, buffer.size() - done);
    std::copy_n(site_.data() + within, wanted, buffer.data() + done);
    done += wanted;
  }
  return done;
}

void reorder_links(const Encoding& encoding, const Ordering& from, const Ordering& to, const double* numbers,
                   double* reordered) {
  const std::size_t link_numbers = encoding.numbers();
  const auto n = static_cast<std::size_t>(encoding.colors);
  for (std::size_t link = 0; link < to.links.size(); ++link) {
    const auto place = static_cast<std::size_t>(std::ranges::find(from.links, to.links[link]) - from.links.begin());
    const double* const u = numbers + place * link_numbers;
    double* const out = reordered + link * link_numbers;
    if (from.is_transposed == to.is_transposed) {
      std::copy_n(u, link_numbers, out);
      continue;
    }
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        std::copy_n(u + 2 * (column * n + row), 2, out + 2 * (row * n + column));
      }
    }
  }
}

namespace {

// The links of a site in memory.
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

// The numbers of a site of any field that is in another place and otherwise as stated.
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

// Uses the same examination as for all files.
void require_undamaged(storage::Transport& transport, base::ByteSource& written, const std::string& from,
                       const Rewriting& how) {
  const Verification found = sets::examine(transport, written, how.path, {.threads = how.threads});
  if (found.verdict <= Verdict::unproven) return;
  const auto error = io::first_error(found);
  throw Error(Code::wrong_state,
              fmt::format("{}: it is not rewritten because the new file would be {}{}", from, name(found.verdict),
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
