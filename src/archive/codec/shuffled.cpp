// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/codec/shuffled.hpp"

#include <limequat/error.hpp>

#ifdef LQ_HAVE_ZSTD
#include <zstd.h>
#endif

namespace lq::archive {

#ifdef LQ_HAVE_ZSTD

namespace {

constexpr int level = 3;

}  // namespace

std::vector<std::byte> shuffle_and_compress(base::Bytes numbers, std::size_t bytes_each) {
  if (numbers.size() % bytes_each != 0) return {};
  const std::size_t count = numbers.size() / bytes_each;
  std::vector<std::byte> shuffled(numbers.size());
  for (std::size_t byte = 0; byte < bytes_each; ++byte) {
    for (std::size_t k = 0; k < count; ++k) shuffled[byte * count + k] = numbers[k * bytes_each + byte];
  }
  std::vector<std::byte> result(ZSTD_compressBound(shuffled.size()));
  const std::size_t size = ZSTD_compress(result.data(), result.size(), shuffled.data(), shuffled.size(), level);
  if (ZSTD_isError(size)) throw Error(Code::out_of_memory, "no memory for the compression of a tile");
  result.resize(size);
  return result;
}

void restore_shuffled(base::Bytes compressed, std::size_t bytes_each, base::MutableBytes numbers) {
  if (numbers.size() % bytes_each != 0) throw Error(Code::malformed, "it holds no whole numbers");
  std::vector<std::byte> shuffled(numbers.size());
  const std::size_t size = ZSTD_decompress(shuffled.data(), shuffled.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(size) || size != shuffled.size()) {
    throw Error(Code::malformed, "zstd cannot undo it, or it gives another number of bytes than it should");
  }
  const std::size_t count = numbers.size() / bytes_each;
  for (std::size_t byte = 0; byte < bytes_each; ++byte) {
    for (std::size_t k = 0; k < count; ++k) numbers[k * bytes_each + byte] = shuffled[byte * count + k];
  }
}

#else

std::vector<std::byte> shuffle_and_compress(base::Bytes, std::size_t) { return {}; }

void restore_shuffled(base::Bytes, std::size_t, base::MutableBytes) {
  throw Error(Code::unsupported, "it is compressed by zstd, which this build of Limequat lacks");
}

#endif

}  // namespace lq::archive
