// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields by value: constructors, and conversion to C++ fields.
#include "capi/transfer_call.hpp"

#include <limits>
#include <string>

#include "capi/call.hpp"
#include "device/driver.hpp"

namespace lq::capi {
namespace {

Precision precision_of_field(const lq_field& field) {
  if (field.precision == LQ_SINGLE) return Precision::single;
  if (field.precision == LQ_DOUBLE) return Precision::double_;
  reject("precision of the field in memory is " + std::to_string(field.precision) + ", expected 32 or 64");
}

FieldSpec spec_of(const lq_field& field) {
  if (field.problem != nullptr) reject(field.problem);
  const Precision precision = precision_of_field(field);
  switch (field.kind) {
    case LQ_GAUGE:
      return gauge_spec(precision, field.colors, field.links);
    case LQ_SPINOR:
      return spinor_spec(precision, field.colors, field.spins);
    case LQ_PROPAGATOR:
      return propagator_spec(precision, field.colors, field.spins);
    case LQ_GENERIC:
      return generic_spec(precision, field.numbers, field.is_complex != 0);
    default:
      reject("kind of the field is " + std::to_string(field.kind) + ", expected LQ_GAUGE (0) to LQ_GENERIC (3)");
  }
}

SiteOrder order_of(const lq_field& field) {
  if (field.order == nullptr) return {};
  if (field.order_length < 1 || field.order_length > max_dimensions) {
    reject("order_length of the field is " + std::to_string(field.order_length) + ", expected 1 to 8");
  }
  return SiteOrder(field.order, field.order + field.order_length);
}

MemoryLayout layout_of(const lq_field& field) {
  if (field.memory == nullptr) return {};
  MemoryLayout layout = memory_layout(field.memory);
  if (field.context == nullptr || field.data == nullptr) return layout;
  // Fields in memory do not use the context otherwise. Without a description that needs a table it is not read.
  const auto* const places = static_cast<const lq_places*>(field.context);
  const bool needs_table = layout.places != PlaceTable::none;
  layout.table = needs_table ? places->table : static_cast<const std::uint64_t*>(field.context);
  layout.table_entries = needs_table && places->table != nullptr ? places->entries : 0;
  return layout;
}

// C pointers have no size: without a count the memory is assumed to be large enough.
std::uint64_t available_in(const lq_field& field) {
  if (field.data == nullptr) return 0;
  return field.available != 0 ? field.available : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

Field readable(const lq_field& field) {
  Field result{spec_of(field), field.data, available_in(field), order_of(field), {}, layout_of(field), {}};
  if (field.fetch_rows != nullptr) {
    result.fetch_rows = [fetch = field.fetch_rows, context = field.context](const Coord& x, int axis,
                                                                            std::uint64_t sites, void* row) {
      fetch(x.begin(), x.size(), axis, sites, row, context);
    };
  }
  if (field.fetch != nullptr) {
    result.fetch = [fetch = field.fetch, context = field.context](const Coord& x, void* site) {
      fetch(x.begin(), x.size(), site, context);
    };
  }
  return result;
}

MutableField writable(const lq_field& field) {
  MutableField result{spec_of(field), field.data, available_in(field), order_of(field), {}, layout_of(field), {}};
  if (field.store_rows != nullptr) {
    result.store_rows = [store = field.store_rows, context = field.context](const Coord& x, int axis,
                                                                            std::uint64_t sites, const void* row) {
      store(x.begin(), x.size(), axis, sites, row, context);
    };
  }
  if (field.store != nullptr) {
    result.store = [store = field.store, context = field.context](const Coord& x, const void* site) {
      store(x.begin(), x.size(), site, context);
    };
  }
  return result;
}

}  // namespace lq::capi

namespace {

lq_field su3_field(lq_kind kind, lq_precision precision, const void* data) {
  lq_field field{};
  field.kind = kind;
  field.precision = precision;
  field.colors = 3;
  field.spins = kind == LQ_GAUGE ? 0 : 4;
  field.is_complex = 1;
  field.data = const_cast<void*>(data);
  return field;
}

lq_field generic_field(lq_precision precision, const void* data, uint64_t numbers, int is_complex) {
  lq_field field{};
  field.kind = LQ_GENERIC;
  field.precision = precision;
  field.numbers = numbers;
  field.is_complex = is_complex;
  field.data = const_cast<void*>(data);
  return field;
}

}  // namespace

lq_field lq_gauge_f64(const void* data) { return su3_field(LQ_GAUGE, LQ_DOUBLE, data); }
lq_field lq_gauge_f32(const void* data) { return su3_field(LQ_GAUGE, LQ_SINGLE, data); }
lq_field lq_spinor_f64(const void* data) { return su3_field(LQ_SPINOR, LQ_DOUBLE, data); }
lq_field lq_spinor_f32(const void* data) { return su3_field(LQ_SPINOR, LQ_SINGLE, data); }
lq_field lq_propagator_f64(const void* data) { return su3_field(LQ_PROPAGATOR, LQ_DOUBLE, data); }
lq_field lq_propagator_f32(const void* data) { return su3_field(LQ_PROPAGATOR, LQ_SINGLE, data); }

lq_field lq_sites_f64(const void* data, uint64_t numbers, int is_complex) {
  return generic_field(LQ_DOUBLE, data, numbers, is_complex);
}

lq_field lq_sites_f32(const void* data, uint64_t numbers, int is_complex) {
  return generic_field(LQ_SINGLE, data, numbers, is_complex);
}

lq_status lq_memory_check(const char* memory) {
  return lq::capi::guarded([&] { lq::memory_layout(lq::capi::given(memory, "memory")); });
}

lq_status lq_memory_arrays(const char* memory, int links, int* pointers, int* has_norms) {
  return lq::capi::guarded([&] {
    const lq::MemoryLayout layout = lq::memory_layout(lq::capi::given(memory, "memory"));
    lq::capi::given(pointers, "pointers");
    lq::capi::given(has_norms, "has_norms");
    *has_norms = layout.norms == lq::NormPlaces::in_array ? 1 : 0;
    *pointers = (layout.links == lq::LinkPlaces::in_arrays ? links : *has_norms) + *has_norms;
  });
}

int lq_is_device_memory(const void* memory) try { return lq::device::is_device_memory(memory) ? 1 : 0; } catch (...) {
  return 0;
}
