// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a set of modes: scanned, validated, explained and mended; descriptions that are read are written and
// read again. The sums of blocks and entries are put right first, or no input would come far.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <limequat/error.hpp>

#include "answers.hpp"
#include "format/formats.hpp"
#include "format/lime/header.hpp"
#include "format/modes/set.hpp"

namespace {

using namespace lq;
using namespace lq::format;
namespace modes = lq::format::modes;

using fuzz::require;

template <class Work>
void attempt(Work&& work) {
  fuzz::attempt<Code::malformed, Code::truncated, Code::too_large, Code::invalid_argument>(work);
}

void seal(std::vector<std::byte>& bytes, std::size_t begin, std::size_t length) {
  base::store_be(bytes.data() + begin + length - 8, modes::fnv1a(base::Bytes(bytes).subspan(begin, length - 8)));
}

// Behind every header of a record of ours, as far as the file goes.
void put_sums_right(std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at + lime::header_bytes + modes::Block::head_bytes <= bytes.size(); at += 8) {
    const base::Bytes header = base::Bytes(bytes).subspan(at, lime::header_bytes);
    if (!lime::has_magic(header)) continue;
    const lime::Header known = lime::decode(header.first<lime::header_bytes>());
    const std::size_t begin = at + lime::header_bytes, left = bytes.size() - begin;
    if (known.type == modes::type::mode && known.data_length >= 8 && known.data_length <= left) {
      seal(bytes, begin, static_cast<std::size_t>(known.data_length));
    }
    if (known.type != modes::type::index) continue;
    seal(bytes, begin, modes::Block::head_bytes);
    const auto entry = base::load_be<std::uint64_t>(bytes.data() + begin);
    if (entry < 8 || entry > left) continue;
    const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(left, known.data_length));
    for (std::size_t k = modes::Block::head_bytes; k + entry <= end; k += static_cast<std::size_t>(entry)) {
      seal(bytes, begin + k, static_cast<std::size_t>(entry));
    }
  }
}

void look(base::Bytes bytes) {
  base::MemorySource file(bytes, "fuzz.modes");
  const Container& container = *format::modes_format().container;
  if (container.recognise(file) != Likeness::yes) return;
  const Catalog catalog = container.scan(file, {.records = 1000});
  for (const FieldEntry& field : catalog.fields) {
    require(field.payload.offset + field.payload.length <= bytes.size(), "data lie in the file");
    require(catalog.records.at(field.record).offset == field.payload.offset, "a field is its record");
  }
  attempt([&] { container.validate(file, catalog); });
  std::uint64_t end = 0;
  for (const Annotation& annotation : container.explain(file, catalog)) {
    require(annotation.offset == end, "annotations tile the file");
    end += annotation.length;
  }
  require(end == bytes.size(), "annotations cover the file");
  attempt([&] {
    base::EditedSource edited(file);
    Findings done;
    modes::mend(edited, {.records = 1000}, done);
    const Catalog mended = container.scan(edited, {.records = 1000});
    const Finding* left = mended.first_error();
    require(left == nullptr, left == nullptr ? "" : left->message.c_str());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  attempt([&] {
    const format::modes::Description description = format::modes::decode_description(base::as_text(bytes));
    require(format::modes::decode_description(format::modes::encode(description)) == description,
            "a description reads back");
  });
  look(bytes);
  put_sums_right(bytes);
  look(bytes);
  return 0;
}
