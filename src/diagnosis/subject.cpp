// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/readings.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/format.hpp"
#include "format/scidac/program_texts.hpp"
#include "lattice/site_order.hpp"

namespace lq::diagnosis {
namespace {

Checksum parse_sums(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto suma = base::parse_hex32(std::string_view(text).substr(0, slash));
  const auto sumb =
      slash == std::string::npos ? std::nullopt : base::parse_hex32(std::string_view(text).substr(slash + 1));
  if (suma && sumb) return {*suma, *sumb};
  const std::string expected = "two hexadecimal numbers as in a2c41090/11193c39";
  throw Error(Code::invalid_argument, fmt::format("sums: \"{}\" is not {}", base::printable(text), expected),
              {.expected = expected, .found = text});
}

// The record with the numbers, by the names that formats give it.
const Record* data_record(const Catalog& catalog) {
  const auto is_data = [](const Record& record) {
    return record.type.ends_with("binary-data") || record.type.ends_with("-data");
  };
  const auto found = std::ranges::find_if(catalog.records, is_data);
  return found == catalog.records.end() ? nullptr : &*found;
}

// The direction of each link in the file; empty if the numbers of a link have a special order.
std::optional<std::vector<int>> links_of(const Payload& payload) {
  const auto link_numbers =
      static_cast<std::uint32_t>(payload.spec.numbers / static_cast<std::uint64_t>(payload.spec.links));
  const std::uint32_t stored = payload.codec.third_rows_missing ? link_numbers / 3 * 2 : link_numbers;
  std::vector<int> links;
  if (payload.codec.order.empty()) {
    for (int mu = 0; mu < payload.spec.links; ++mu) links.push_back(mu);
    return links;
  }
  if (payload.codec.order.size() != stored * static_cast<std::size_t>(payload.spec.links)) return {};
  for (std::size_t k = 0; k < payload.codec.order.size(); ++k) {
    const auto within = static_cast<std::uint32_t>(k % stored);
    const std::uint32_t number = payload.codec.order[k];
    if (within == 0) links.push_back(static_cast<int>(number / link_numbers));
    if (number != static_cast<std::uint32_t>(links.back()) * link_numbers + within) return {};
  }
  return links;
}

// The statement of the ildg-format record alone, independent of the rest of the file.
std::optional<format::scidac::LatticeXml> lattice_record(base::ByteSource& file, const Catalog& catalog,
                                                         const Limits& limits) {
  const auto found = std::ranges::find(catalog.records, "ildg-format", &Record::type);
  if (found == catalog.records.end() || found->data_length > limits.text_bytes) return {};
  std::string text(static_cast<std::size_t>(found->data_length), '\0');
  text.resize(file.read_at(found->offset, std::as_writable_bytes(std::span(text))));
  try {
    return format::scidac::decode_lattice(text.substr(0, text.find('\0')));
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::too_large) throw;
    return {};
  }
}

void require_whole(const std::string& path, const FieldEntry& entry) {
  const Payload& payload = entry.payload;
  if (!payload.codec.fixed16 && payload.stored == whole(payload.extents)) return;
  throw Error(Code::unsupported,
              fmt::format("{}: \"{}\" is a part of a field, or its sites share a magnitude, which this command does "
                          "not examine; `lq verify` checks it",
                          path, entry.name),
              {.path = path, .record = entry.name});
}

// True if the sites are in sequence in this file.
bool is_plain(const Payload& payload) {
  return payload.is_in_one_piece() && payload.encoding.empty() && payload.arrays == 1 && payload.file == 0;
}

void describe_gauge(Subject& subject, const Payload* payload) {
  const FieldSpec& spec = subject.spec;
  if (spec.kind != FieldKind::gauge || spec.links != subject.extents.size()) return;
  // In more dimensions there are too many orders, and larger matrices are not in use.
  if (spec.links < 2 || spec.links > 4 || spec.colors < 2 || spec.colors > 16) return;
  Encoding encoding{.offset = subject.offset, .colors = spec.colors, .links = spec.links, .precision = spec.precision};
  SiteOrder order;
  std::vector<int> links;
  for (int d = 0; d < spec.links; ++d) links.push_back(d);
  if (payload != nullptr) {
    const auto found = links_of(*payload);
    if (!found || payload->codec.second_columns_missing) return;
    links = *found;
    order = payload->order;
    encoding.byte_order = payload->byte_order;
    encoding.third_rows_missing = payload->codec.third_rows_missing;
  }
  order = lattice::resolve_order(order, spec.links);
  subject.declared = encoding;
  subject.ordering = {sequence_of(subject.extents, order), order, links, false};
}

void take_entry(Subject& subject, const Catalog& catalog, const FieldEntry& entry) {
  require_whole(catalog.path, entry);
  const Payload& payload = entry.payload;
  subject.field = entry.name;
  subject.spec = payload.spec;
  subject.extents = payload.extents;
  subject.is_gathered = !is_plain(payload);
  subject.begin = subject.offset = payload.origin();
  subject.end = payload.origin() + payload.length;
  if (!subject.is_gathered) {
    // A header may state the wrong beginning of its data.
    const bool is_flat = catalog.records.size() == 2;
    if (is_flat) subject.begin = 0;
    subject.end = is_flat ? catalog.file_bytes : std::min(catalog.file_bytes, subject.end);
  }
  subject.site_bytes = payload.site_bytes();
  subject.byte_order = payload.byte_order;
  subject.entry = entry;
  subject.plaquette = entry.plaquette;
  subject.stored = entry.sums.checksum();
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  subject.ordering = {sequence_of(payload.extents, order), order, {}, false};
  describe_gauge(subject, &payload);
}

// Descriptions that contradict the length of the data are also statements of the file.
void compare_descriptions(Subject& subject, const std::optional<format::scidac::LatticeXml>& lattice) {
  const auto is_of_precision = [](const Finding& finding) {
    return finding.rule == "field-precision" || finding.rule == "field-contradiction";
  };
  const bool is_known = std::ranges::any_of(subject.findings, is_of_precision);
  const Precision stored = subject.spec.precision;
  if (lattice && lattice->precision == (stored == Precision::single ? 64 : 32)) {
    subject.said = stored == Precision::single ? Precision::double_ : Precision::single;
    std::erase_if(subject.findings, is_of_precision);
  } else if (is_known) {
    for (Finding& finding : subject.findings) {
      if (is_of_precision(finding)) finding.severity = Severity::error;
    }
  }
}

// Without a description: a gauge field in the form of ILDG files on the given lattice.
void take_told(Subject& subject, const Extents& extents, std::uint64_t offset, std::uint64_t end) {
  subject.is_described = false;
  subject.field = "gauge";
  subject.extents = extents;
  subject.begin = subject.offset = offset;
  subject.end = end;
  subject.spec = gauge_spec(Precision::double_, 3, extents.size());
  subject.spec.numbers = 18 * static_cast<std::uint64_t>(extents.size());
  subject.site_bytes = subject.spec.site_bytes();
  describe_gauge(subject, nullptr);
}

// A gauge field whose description contradicts the length of the data.
bool is_usable(const format::scidac::LatticeXml& lattice, const base::ByteSource& file) {
  std::uint64_t sites = 1;
  for (const std::int64_t extent : lattice.extents) {
    if (extent < 1 || static_cast<std::uint64_t>(extent) > file.size() / sites) return false;
    sites *= static_cast<std::uint64_t>(extent);
  }
  return format::scidac::gauge_colors(lattice.field) == 3 && lattice.extents.size() == 4;
}

void take_lattice(Subject& subject, const format::scidac::LatticeXml& lattice, const Record& data) {
  const std::uint64_t all = subject.catalog.file_bytes;
  take_told(subject, lattice.extents, std::min(all, data.offset), std::min(all, data.offset + data.data_length));
  subject.is_described = true;
  subject.is_exact = true;
  subject.declared->precision = lattice.precision == 32 ? Precision::single : Precision::double_;
  subject.site_bytes = subject.declared->site_bytes();
}

Catalog scan_if_known(base::ByteSource& file, const DiagnoseOptions& options) {
  try {
    return format::scan(file, options.limits);
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format) throw;
    if (!options.lattice.empty()) return {};
    throw Error(
        Code::unknown_format,
        fmt::format("{}; if it holds the numbers of a gauge field, give its lattice: options.lattice = 8x8x8x16",
                    error.what()),
        error.facts());
  }
}

}  // namespace

Subject subject_of(base::ByteSource& file, const DiagnoseOptions& options) {
  const Extents told = options.lattice.empty() ? Extents{} : parse_extents(options.lattice);
  if (told.size() == 1 || volume(told) > file.size()) {
    throw Error(Code::invalid_argument,
                fmt::format("lattice: {} does not fit into {} bytes", options.lattice, file.size()));
  }
  Subject subject;
  subject.catalog = scan_if_known(file, options);
  const Catalog& catalog = subject.catalog;
  subject.format = catalog.format.empty() ? "raw" : catalog.format;
  subject.findings = catalog.findings;
  subject.is_told = told.size() > 0;
  const auto lattice = lattice_record(file, catalog, options.limits);
  if (!catalog.fields.empty() && told.size() == 0) {
    take_entry(subject, catalog, catalog.field(options.field, options.index));
    compare_descriptions(subject, lattice);
  } else if (told.size() == 0 && lattice && is_usable(*lattice, file) && data_record(catalog) != nullptr) {
    take_lattice(subject, *lattice, *data_record(catalog));
  } else if (told.size() == 0) {
    if (const Finding* error = catalog.first_error()) {
      throw Error(error->code,
                  fmt::format("{}: {}. To analyse the data anyway, give the lattice size: options.lattice = 8x8x8x16",
                              catalog.path, error->message),
                  {.path = catalog.path, .record = error->record});
    }
    (void)catalog.field(options.field, options.index);  // throws an error that lists the existing fields
  } else if (const Record* data = data_record(catalog)) {
    const bool is_last = data == &catalog.records.back();
    take_told(subject, told, data->offset,
              is_last ? file.size() : std::min(file.size(), data->offset + data->data_length));
    if (!catalog.fields.empty()) {
      subject.plaquette = catalog.fields.front().plaquette;
      subject.stored = catalog.fields.front().sums.checksum();
    }
  } else {
    take_told(subject, told, 0, file.size());
  }
  if (!options.sums.empty()) subject.stored = parse_sums(options.sums);
  return subject;
}

}  // namespace lq::diagnosis
