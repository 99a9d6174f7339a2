// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which CRC-32 runs: the fastest library that was found at build time, else our own.
#include "kernels/crc32.hpp"

#if defined(LQ_HAVE_ISAL)
#include <isa-l.h>
#elif defined(LQ_HAVE_LIBDEFLATE)
#include <libdeflate.h>
#endif

namespace lq::kernels {

#if defined(LQ_HAVE_ISAL)

// crc32_gzip_refl inverts before and after by itself, as zlib does.
std::uint32_t crc32(std::uint32_t crc, base::Bytes bytes) noexcept {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string_view crc32_provider() noexcept { return "isa-l"; }

#elif defined(LQ_HAVE_LIBDEFLATE)

std::uint32_t crc32(std::uint32_t crc, base::Bytes bytes) noexcept {
  if (bytes.empty()) return crc;  // a null pointer means "start anew" to libdeflate
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}

std::string_view crc32_provider() noexcept { return "libdeflate"; }

#else

std::uint32_t crc32(std::uint32_t crc, base::Bytes bytes) noexcept { return crc32_portable(crc, bytes); }

std::string_view crc32_provider() noexcept { return "portable"; }

#endif

}  // namespace lq::kernels
