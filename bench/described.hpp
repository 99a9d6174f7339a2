// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field in the memory of other codes, beside plain memory: what the benchmarks of memory by description move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/memory.hpp>

// On cache lines, as the fields of codes are.
template <class T>
struct OnLines {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  OnLines() = default;
  template <class U>
  OnLines(const OnLines<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, line); }
  friend bool operator==(OnLines, OnLines) noexcept { return true; }
};

struct DescribedField {
  std::string name;
  std::vector<std::vector<double, OnLines<double>>> arrays;
  std::vector<double*> pointers;
  lq::MutableField field;
  lq::Field source;
};

inline DescribedField described(const std::string& name, const std::string& words, std::uint64_t volume) {
  const lq::MemoryLayout layout = lq::memory_layout(words);
  DescribedField one{name, {}, {}, {}, {}};
  const bool apart = layout.links == lq::LinkPlaces::in_arrays;
  for (int i = 0; i < (apart ? 4 : 1); ++i) one.arrays.emplace_back(volume * (apart ? 18 : 72), 0.5);
  for (auto& array : one.arrays) one.pointers.push_back(array.data());
  if (apart) {
    one.field = lq::gauge_in_arrays<double>(one.pointers, one.arrays.front().size(), layout);
  } else {
    one.field = lq::gauge(one.arrays.front(), {.memory = layout});
  }
  one.source = one.field;
  return one;
}

// Plain memory, which comes first, and all others.
inline std::vector<DescribedField> described_fields(std::uint64_t volume) {
  std::vector<DescribedField> all;
  all.push_back(described("plain", "", volume));
  for (const char* preset : {"milc", "quda_host", "quda_native", "tmlqcd", "qdp", "grid"}) {
    all.push_back(described(preset, preset, volume));
  }
  all.push_back(described("grid, 4 lanes", "grid lanes=1,1,2,2", volume));
  all.push_back(described("grid, 8 lanes", "grid lanes=1,2,2,2", volume));
  all.push_back(described("columns", "matrix=columns", volume));
  return all;
}
