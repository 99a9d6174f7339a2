// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lime/stream.hpp"

#include <sys/stat.h>
#include <sys/types.h>

namespace lq::compat::lime {

bool move_to(std::FILE* fp, std::uint64_t position) noexcept {
  return position < position_limit && ::fseeko(fp, static_cast<off_t>(position), SEEK_SET) == 0;
}

bool move_to_if_elsewhere(std::FILE* fp, std::uint64_t position) noexcept {
  const off_t now = ::ftello(fp);
  return now < 0 || static_cast<std::uint64_t>(now) == position || move_to(fp, position);
}

std::uint64_t file_size(std::FILE* fp) noexcept {
  struct stat status {};
  const int descriptor = ::fileno(fp);
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return position_limit;
  return static_cast<std::uint64_t>(status.st_size);
}

Moved move_within(std::uint64_t position, std::int64_t offset, std::uint64_t bytes) noexcept {
  if (offset < 0) {
    const std::uint64_t back = 0 - static_cast<std::uint64_t>(offset);
    return back > position ? Moved{0, false} : Moved{position - back, true};
  }
  const std::uint64_t room = position < bytes ? bytes - position : 0;
  const auto ahead = static_cast<std::uint64_t>(offset);
  return ahead > room ? Moved{bytes, false} : Moved{position + ahead, true};
}

}  // namespace lq::compat::lime
