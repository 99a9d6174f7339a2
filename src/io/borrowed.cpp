// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/borrowed.hpp"

#include <limequat/error.hpp>

#include "device/driver.hpp"
#include "grid/local_field.hpp"
#include "kernels/crc32.hpp"
#include "layouts/rows.hpp"

namespace lq::io {

Borrowed::Borrowed(const Grid& grid, const Field& field, bool guarded) {
  if (!guarded || !layouts::is_plain(field) || field.data == nullptr || device::is_device_memory(field.data)) return;
  data_ = static_cast<const std::byte*>(field.data);
  bytes_ = grid.local_volume() * grid::resolve_spec(field.spec, grid.extents().size()).site_bytes();
  sum_ = sum();
}

std::uint32_t Borrowed::sum() const noexcept { return kernels::crc32(0, {data_, static_cast<std::size_t>(bytes_)}); }

void Borrowed::require_unchanged(const std::string& path) const {
  if (bytes_ == 0 || sum() == sum_) return;
  throw Error(Code::wrong_state,
              path +
                  ": the field was changed while it was being written in the background; what would be in the file is "
                  "neither the old field nor the new one, so there is no file. Change it after wait()",
              {.path = path});
}

}  // namespace lq::io
