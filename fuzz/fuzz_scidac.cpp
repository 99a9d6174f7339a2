// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any text as each of the documents of SciDAC and ILDG files, and as the texts beside vectors of other programs. What
// was understood is written and understood again.
#include <cstdint>

#include <limequat/error.hpp>

#include "answers.hpp"
#include "base/bytes.hpp"
#include "format/scidac/describe.hpp"
#include "format/scidac/documents.hpp"
#include "format/scidac/program_texts.hpp"
#include "format/vectors/vectors.hpp"

namespace {

using namespace lq;
using namespace lq::format;

using fuzz::require;

template <class Work>
void attempt(Work&& work) {
  fuzz::attempt<Code::malformed>(work);
}

void read_record_info(std::string_view text) {
  const scidac::RecordInfo info = scidac::decode_record_info(text);
  const scidac::RecordInfo again = scidac::decode_record_info(scidac::encode(info));
  require(again.typesize == info.typesize && again.datacount == info.datacount, "sizes read back");
  require(again.lower == info.lower && again.upper == info.upper, "bounds read back");
  for (int dimensions = 1; dimensions <= max_dimensions; ++dimensions) {
    const auto spec = scidac::site_of(info, dimensions);
    if (spec) require(spec->site_bytes() == info.typesize * info.datacount, "a site has the size that was said");
  }
}

void describe_data(std::string_view text) {
  scidac::Description description;
  description.lattice = scidac::decode_lattice(text);
  Record data;
  data.type = "ildg-binary-data";
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{2304}, std::uint64_t{1} << 40}) {
    data.data_length = length;
    Findings findings;
    base::MemorySource file(base::as_bytes(text), "fuzzed");
    const auto payload = scidac::describe(description, data, file, findings);
    require(payload || !findings.take().empty(), "a field or a reason why not");
  }
}

void read_grid_lattice(std::string_view text) {
  const Extents extents = scidac::decode_grid_lattice(text);
  require(volume(extents) > 0, "extents are at least 1");
  scidac::RecordInfo info;
  info.typesize = 96;
  info.datacount = 1;
  for (const std::uint64_t length : {std::uint64_t{0}, 96 * volume(extents), 48 * volume(extents)}) {
    const scidac::GridLattice stored = scidac::stored_lattice(extents, info, length);
    require(volume(stored.extents) == volume(extents) / (stored.is_of_one_parity ? 2 : 1),
            "all sites, or half of them");
  }
}

// A field of 24 numbers whose texts are this one: a set of vectors, or none.
void read_set(std::string_view text) {
  for (const char* const name : {"scidac-record-xml", "grid-format", "scidac-file-xml"}) {
    Catalog catalog;
    FieldEntry field;
    field.payload.spec = generic_spec(Precision::single, 24, true);
    field.payload.extents = {4, 2, 2, 4};
    field.payload.stored = whole(field.payload.extents);
    field.metadata.emplace_back(name, text);
    catalog.metadata = field.metadata;
    catalog.fields = {field, field};
    fuzz::attempt<Code::malformed, Code::invalid_argument, Code::unsupported>([&] {
      const auto set = format::vectors::set_in(catalog, {.ls = 1, .parity = lq::modes::Parity::odd});
      require(!set || set->modes.size() == 2 * set->per_field, "as many modes as there are vectors");
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = base::as_text({reinterpret_cast<const std::byte*>(data), size});
  attempt([&] {
    const scidac::FileInfo info = scidac::decode_file_info(text);
    require(scidac::decode_file_info(scidac::encode(info)).extents == info.extents, "extents read back");
  });
  attempt([&] { read_record_info(text); });
  attempt([&] { describe_data(text); });
  attempt([&] { read_grid_lattice(text); });
  read_set(text);
  attempt([&] { format::vectors::eigenvalues_in(text); });
  attempt([&] {
    const auto sum = scidac::decode_checksum(text);
    if (sum) require(scidac::decode_checksum(scidac::encode(*sum)) == sum, "sums read back");
  });
  attempt([&] {
    const auto slices = scidac::decode_slices(text);
    if (slices.find(scidac::slice_weights) == nullptr) return;  // of version 1.0, which is read only
    require(scidac::decode_slices(scidac::encode_slices(slices)) == slices, "slices read back");
  });
  return 0;
}
