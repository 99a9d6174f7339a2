// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/local_box.hpp"

namespace lq::io {

namespace {

void pump_box(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision, void* memory,
              const SiteOrder& order, engine::TransferStats& stats) {
  MutableField field;
  field.spec = payload.spec;
  field.spec.precision = precision;
  field.data = memory;
  field.order = order;
  engine::run(*engine::move_in(file, payload, {payload.extents, payload.stored, payload.order, box, order, box}, field,
                               {}, stats));
}

}  // namespace

void read_box(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision, void* memory,
              engine::TransferStats& stats) {
  pump_box(file, payload, box, precision, memory, {}, stats);
}

void read_box_as_stored(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision,
                        void* memory, engine::TransferStats& stats) {
  pump_box(file, payload, box, precision, memory, payload.order, stats);
}

std::vector<double> read_box(base::ByteSource& file, const Payload& payload, const Box& box) {
  std::vector<double> numbers(static_cast<std::size_t>(box.volume() * payload.spec.numbers));
  engine::TransferStats stats(payload, {});
  pump_box(file, payload, box, Precision::double_, numbers.data(), {}, stats);
  return numbers;
}

}  // namespace lq::io
