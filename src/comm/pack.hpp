// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Serialisation of structures between ranks. members(value) lists the members of a structure as references (std::tie):
// one list serves both directions, so that they cannot diverge.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat/lattice.hpp>

#include "comm/agree.hpp"
#include "comm/wire.hpp"

namespace lq::comm {

template <class T>
concept Structure = requires(T& value) {
  members(value);
};

// Appends values to a message: numbers, enumerations and structures without a list of members as in memory, texts,
// pairs, optionals, and vectors and maps of all these.
template <class... T>
void pack(std::vector<std::byte>& bytes, const T&... values);
// Extracts the values at the front of `bytes`, which then begin after them. communication: there are fewer.
template <class... T>
void unpack(base::Bytes& bytes, T&... values);

namespace packing {

template <class T>
concept Optional = requires(T& value) {
  value.has_value();
};
template <class T>
concept Pair = requires(T& value) {
  value.first, value.second;
};
template <class T>
concept Map = requires {
  typename T::mapped_type;
};
template <class T>
concept Set = requires {
  typename T::key_type;
}
&&!Map<T>;
template <class T>
concept Vector = requires(T& value) {
  value.emplace_back();
};
template <class T>
inline constexpr bool is_flat =
    std::is_trivially_copyable_v<T> && !Structure<T> && !Optional<T> && !std::is_same_v<T, Coord>;

template <class T>
void pack_one(std::vector<std::byte>& bytes, const T& value) {
  if constexpr (Structure<T>) {
    std::apply([&](const auto&... each) { pack(bytes, each...); }, members(const_cast<T&>(value)));
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_text(bytes, value);
  } else if constexpr (std::is_same_v<T, Coord>) {
    append(bytes, value.size());
    for (const std::int64_t number : value) append(bytes, number);
  } else if constexpr (Vector<T>) {
    append(bytes, std::uint64_t{value.size()});
    if constexpr (is_flat<typename T::value_type>) {
      append_all(bytes, std::span(value));
    } else {
      for (const auto& each : value) pack_one(bytes, each);
    }
  } else if constexpr (Map<T>) {
    append(bytes, std::uint64_t{value.size()});
    for (const auto& [key, each] : value) pack(bytes, key, each);
  } else if constexpr (Set<T>) {
    append(bytes, std::uint64_t{value.size()});
    for (const auto& each : value) pack_one(bytes, each);
  } else if constexpr (Pair<T>) {
    pack(bytes, value.first, value.second);
  } else if constexpr (Optional<T>) {
    append(bytes, value.has_value());
    if (value) pack_one(bytes, *value);
  } else {
    append(bytes, value);
  }
}

template <class T>
void unpack_one(base::Bytes& bytes, T& value) {
  if constexpr (Structure<T>) {
    std::apply([&](auto&... each) { unpack(bytes, each...); }, members(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = take_text(bytes);
  } else if constexpr (std::is_same_v<T, Coord>) {
    value = Coord::filled(take<int>(bytes), 0);
    for (int d = 0; d < value.size(); ++d) value[d] = take<std::int64_t>(bytes);
  } else if constexpr (Vector<T>) {
    const auto count = static_cast<std::size_t>(take<std::uint64_t>(bytes));
    if constexpr (is_flat<typename T::value_type>) {
      value = take_all<typename T::value_type>(bytes, count);
    } else {
      value.clear();
      for (std::size_t i = 0; i < count; ++i) unpack_one(bytes, value.emplace_back());
    }
  } else if constexpr (Map<T>) {
    value.clear();
    for (auto count = take<std::uint64_t>(bytes); count > 0; --count) {
      typename T::key_type key;
      unpack_one(bytes, key);
      unpack_one(bytes, value[std::move(key)]);
    }
  } else if constexpr (Set<T>) {
    value.clear();
    for (auto count = take<std::uint64_t>(bytes); count > 0; --count) {
      typename T::key_type key;
      unpack_one(bytes, key);
      value.insert(std::move(key));
    }
  } else if constexpr (Pair<T>) {
    unpack(bytes, value.first, value.second);
  } else if constexpr (Optional<T>) {
    value.reset();
    if (take<bool>(bytes)) unpack_one(bytes, value.emplace());
  } else {
    value = take<T>(bytes);
  }
}

}  // namespace packing

template <class... T>
void pack(std::vector<std::byte>& bytes, const T&... values) {
  (packing::pack_one(bytes, values), ...);
}
template <class... T>
void unpack(base::Bytes& bytes, T&... values) {
  (packing::unpack_one(bytes, values), ...);
}
template <class... T>
std::vector<std::byte> packed(const T&... values) {
  std::vector<std::byte> bytes;
  pack(bytes, values...);
  return bytes;
}

// Collective. Runs `work` on the root only; the values it returns are returned, or its failure thrown, on all ranks.
// One message as in bytes_from_root(), and an agreement on memory.
template <class Work, class... T>
void share_from_root(Comm& comm, const Work& work, T&... values) {
  const FromRoot sent = bytes_from_root(comm, [&] {
    work();
    return comm.size() > 1 ? packed(values...) : std::vector<std::byte>();
  });
  agree_alike(comm, [&] {
    base::Bytes bytes = sent.bytes();
    if (comm.rank() > 0) unpack(bytes, values...);
  });
}

}  // namespace lq::comm
