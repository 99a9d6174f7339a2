// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement: one reduction when all is well; only a failure costs more.
#include "comm/agree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "comm/error_wire.hpp"

namespace lq::comm {
namespace {

constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

// The lowest rank that raises its hand, or `nobody`.
std::uint64_t lowest_rank(Comm& comm, bool raised) {
  std::uint64_t lowest = raised ? static_cast<std::uint64_t>(comm.rank()) : nobody;
  comm.all_reduce(std::span(&lowest, 1), Reduce::min);
  return lowest;
}

std::vector<std::byte> broadcast_bytes(Comm& comm, std::vector<std::byte> bytes, int root) {
  std::array<std::byte, sizeof(std::uint64_t)> length{};
  base::store_le(length.data(), static_cast<std::uint64_t>(bytes.size()));
  comm.broadcast(length, root);
  bytes.resize(base::load_le<std::uint64_t>(length.data()));
  comm.broadcast(bytes, root);
  return bytes;
}

std::string broadcast_text_from(Comm& comm, std::string_view text, int root) {
  const base::Bytes mine = base::as_bytes(text);
  return std::string(base::as_text(broadcast_bytes(comm, {mine.begin(), mine.end()}, root)));
}

Error out_of_memory() {
  return Error(Code::out_of_memory, "memory for the work could not be allocated; use more ranks or smaller blocks");
}

Error error_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more than a container can ever hold
    return out_of_memory();
  } catch (const std::exception& error) {
    return Error(Code::internal, fmt::format("unexpected exception: {} (please report)", error.what()));
  } catch (...) {
    return Error(Code::internal, "unexpected exception of unknown type (please report)");
  }
}

// An error that names its rank already was agreed on before and is passed on as it is.
Error with_rank(const Error& error, int rank) {
  if (error.facts().rank) return error;
  ErrorFacts facts = error.facts();
  facts.rank = rank;
  return Error(error.code(), fmt::format("{} (rank {})", error.what(), rank), facts);
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// `failed`: the lowest rank that failed.
[[noreturn]] void tell_failure(Comm& comm, const std::exception_ptr& failure, std::uint64_t failed) {
  if (comm.size() == 1) throw error_of(failure);
  const int rank = static_cast<int>(failed);
  std::vector<std::byte> bytes;
  if (rank == comm.rank()) bytes = pack_error(with_rank(error_of(failure), rank));
  throw unpack_error(broadcast_bytes(comm, std::move(bytes), rank));
}

std::uint64_t hash_of(std::span<const Stated> arguments) {
  std::string all;
  for (const Stated& argument : arguments) all += fmt::format("{} {}\n", argument.text.size(), argument.text);
  return hash_of(all);
}

void require_each_same(Comm& comm, std::span<const Stated> arguments) {
  for (const Stated& argument : arguments) require_same(comm, argument.text, argument.what);
}

bool hashes_agree(Comm& comm, std::uint64_t hash) {
  std::array<std::uint64_t, 2> extremes{hash, ~hash};  // the maximum of the complements is the minimum
  comm.all_reduce(extremes, Reduce::max);
  return extremes[0] == ~extremes[1];
}

}  // namespace

void agree_on_success(Comm& comm, std::exception_ptr failure) {
  const std::uint64_t failed = lowest_rank(comm, failure != nullptr);
  if (failed != nobody) tell_failure(comm, failure, failed);
}

void agree_on_success(Comm& comm, std::exception_ptr failure, std::span<const Stated> arguments) {
  const std::uint64_t hash = hash_of(arguments);
  std::array<std::uint64_t, 3> lowest{failure ? static_cast<std::uint64_t>(comm.rank()) : nobody, hash, ~hash};
  comm.all_reduce(lowest, Reduce::min);
  if (lowest[0] != nobody) tell_failure(comm, failure, lowest[0]);
  if (lowest[1] != ~lowest[2]) require_each_same(comm, arguments);
}

void require_same(Comm& comm, std::string_view text, std::string_view what) {
  if (hashes_agree(comm, hash_of(text))) return;
  const std::string first = broadcast_text(comm, std::string(text));
  const int rank = static_cast<int>(lowest_rank(comm, first != text));
  const std::string other = broadcast_text_from(comm, text, rank);
  ErrorFacts facts;
  facts.rank = rank;
  facts.expected = base::printable(first, 200);
  facts.found = base::printable(other, 200);
  throw Error(Code::ranks_disagree,
              fmt::format("{} differs between ranks: rank {} has \"{}\", rank 0 has \"{}\"; pass the same on all ranks",
                          what, rank, facts.found, facts.expected),
              facts);
}

void require_same(Comm& comm, std::span<const Stated> arguments) {
  if (!hashes_agree(comm, hash_of(arguments))) require_each_same(comm, arguments);
}

std::string broadcast_text(Comm& comm, const std::string& text) { return broadcast_text_from(comm, text, 0); }

double max_over_ranks(Comm& comm, double value) {
  // Doubles in the order of unsigned integers: negative ones reversed, positive ones above them.
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t key = (bits & sign) != 0 ? ~bits : bits | sign;
  comm.all_reduce(std::span(&key, 1), Reduce::max);
  return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key);
}

}  // namespace lq::comm
