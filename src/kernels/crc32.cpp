// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Selects the CRC-32 implementation: for long data Limequat's own loops if they are faster; otherwise the fastest
// library found at build time, then the processor's instruction, then portable code.
#include "kernels/crc32.hpp"

#include <new>
#include <optional>

#include "kernels/site_crc.hpp"

#if defined(LQ_HAVE_ISAL)
#include <isa-l.h>
#elif defined(LQ_HAVE_LIBDEFLATE)
#include <libdeflate.h>
#endif

namespace lq::kernels {
namespace {

// From this length on, the cost of joining the blocks is negligible.
constexpr std::size_t long_bytes = 8 * LongCrc32::block_bytes;

// Empty if it is not worth it, or if there is no memory for its constants.
std::optional<LongCrc32> make_long() noexcept {
  const InstructionSet set = active_instruction_set();
  if (!LongCrc32::is_worth_it(set)) return std::nullopt;
  try {
    return LongCrc32(set);
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

#if defined(LQ_HAVE_ISAL)

std::string_view provider() noexcept { return "isa-l"; }

// crc32_gzip_refl inverts before and after on its own, as zlib does.
std::uint32_t short_crc32(std::uint32_t crc, base::Bytes bytes) noexcept {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

#elif defined(LQ_HAVE_LIBDEFLATE)

std::string_view provider() noexcept { return "libdeflate"; }

std::uint32_t short_crc32(std::uint32_t crc, base::Bytes bytes) noexcept {
  if (bytes.empty()) return crc;  // a null pointer means "start again" to libdeflate
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}

#else

isa::Stream stream() noexcept {
  static const isa::Stream stream = loops_of(active_instruction_set()).stream;
  return stream;
}

std::uint32_t short_crc32(std::uint32_t crc, base::Bytes bytes) noexcept {
  return stream() != nullptr ? stream()(crc, bytes.data(), bytes.size()) : crc32_portable(crc, bytes);
}

std::string_view provider() noexcept { return stream() != nullptr ? "instruction" : "portable"; }

#endif

}  // namespace

std::uint32_t crc32(std::uint32_t crc, base::Bytes bytes) noexcept {
  if (bytes.size() >= long_bytes) {
    static const std::optional<LongCrc32> blocks = make_long();
    if (blocks) {
      crc = blocks->of_blocks(crc, bytes);
      bytes = bytes.last(bytes.size() % LongCrc32::block_bytes);
    }
  }
  return short_crc32(crc, bytes);
}

std::string_view crc32_provider() noexcept { return provider(); }

}  // namespace lq::kernels
