// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/session/message.hpp"

#include <array>

namespace lq::hdf5 {

namespace {

// Elements of the type that a variant has at that place.
template <std::size_t... I>
Array::Elements empty_elements(std::size_t index, std::index_sequence<I...>) {
  static const std::array<Array::Elements, sizeof...(I)> empty{Array::Elements(std::in_place_index<I>)...};
  return empty.at(index);
}

}  // namespace

void Message::raw(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (!is_taken_) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
    return;
  }
  std::memcpy(data, bytes_.data() + at_, bytes);
  at_ += bytes;
}

void Message::add(std::string& text) {
  std::uint64_t bytes = text.size();
  add(bytes);
  text.resize(static_cast<std::size_t>(bytes));
  raw(text.data(), text.size());
}

void Message::add(Entry& entry) {
  add(entry.name);
  add(entry.kind);
  add(entry.target);
}

void Message::add(Facts& facts) {
  add(facts.path);
  add(facts.kind);
  add(facts.type);
  add(facts.extents);
  add(facts.storage);
  add(facts.chunk);
  add(facts.filters);
  add(facts.bytes);
  add(facts.unused_bytes);
  add(facts.microseconds);
  add(facts.checksum);
  add(facts.layout);
  add(facts.object);
  add(facts.attributes);
}

void Message::add(Axis& axis) {
  add(axis.name);
  add(axis.coordinates);
}

void Message::add(Array& array) {
  std::uint64_t index = array.elements.index();
  add(index);
  if (is_taken_) {
    array.elements = empty_elements(static_cast<std::size_t>(index),
                                    std::make_index_sequence<std::variant_size_v<Array::Elements>>());
  }
  std::visit([&](auto& elements) { add(elements); }, array.elements);
  add(array.extents);
  add(array.axes);
}

void Message::add(ReadArray& read) {
  add(read.value);
  add(read.status);
}

}  // namespace lq::hdf5
