// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/buffer_guard.hpp"

#include <limequat/error.hpp>

#include "device/driver.hpp"
#include "kernels/crc32.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/local_field.hpp"

namespace lq::io {

BufferGuard::BufferGuard(const Grid& grid, const Field& field, bool guarded) {
  if (!guarded || !lattice::is_plain(field) || field.data == nullptr || device::is_device_memory(field.data)) return;
  data_ = static_cast<const std::byte*>(field.data);
  bytes_ = grid.local_volume() * lattice::resolve_spec(field.spec, grid.extents().size()).site_bytes();
  sum_ = sum();
}

std::uint32_t BufferGuard::sum() const noexcept { return kernels::crc32(0, {data_, static_cast<std::size_t>(bytes_)}); }

void BufferGuard::require_unchanged(const std::string& path) const {
  if (bytes_ == 0 || sum() == sum_) return;
  throw Error(Code::wrong_state,
              path +
                  ": the field was changed while it was being written in the background. The file would hold neither "
                  "the old field nor the new one, so no file was published. Change the field only after wait()",
              {.path = path});
}

}  // namespace lq::io
