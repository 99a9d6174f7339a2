// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values of several objects, combined over the ranks in one operation (Comm::combine, agree). An object lists its
// values and how they are combined in one function,
//   template <class Terms> void each_term(Terms&& terms) { terms.sum(count_); terms.max(largest_); }
// which both reads the values of this rank and stores the combined ones; `terms` is their number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comm/comm.hpp"

namespace lq::comm {

class SentTerms {
 public:
  explicit SentTerms(std::span<Term> terms) noexcept : rest_(terms) {}
  void combine(std::uint64_t& value, Reduce operation) noexcept { next() = {value, operation}; }
  void sum(std::uint64_t& value) noexcept { combine(value, Reduce::sum); }
  // For values that are not negative and not NaN.
  void max(double& value) noexcept { next() = seconds_term(value); }

 private:
  Term& next() noexcept {
    Term& term = rest_.front();
    rest_ = rest_.subspan(1);
    return term;
  }
  std::span<Term> rest_;
};

class TermReader {
 public:
  explicit TermReader(std::span<const Term> terms) noexcept : rest_(terms) {}
  void combine(std::uint64_t& value, Reduce) noexcept { value = next().value; }
  void sum(std::uint64_t& value) noexcept { combine(value, Reduce::sum); }
  void max(double& value) noexcept { value = seconds_of(next()); }

 private:
  const Term& next() noexcept {
    const Term& term = rest_.front();
    rest_ = rest_.subspan(1);
    return term;
  }
  std::span<const Term> rest_;
};

// The terms of a list of objects, after the one that an agreement reserves for itself.
template <class... Objects>
class CombinedTerms {
 public:
  // Sets the operations before any rank can fail.
  explicit CombinedTerms(const Objects&... empty) noexcept { tell(empty...); }
  void tell(Objects... objects) noexcept {
    SentTerms terms(std::span<Term>(terms_).subspan(1));
    (objects.each_term(terms), ...);
  }
  void take(Objects&... objects) const noexcept {
    TermReader terms(std::span<const Term>(terms_).subspan(1));
    (objects.each_term(terms), ...);
  }
  // For agree().
  std::span<Term> all() noexcept { return terms_; }

 private:
  static constexpr std::size_t count = (Objects::terms + ... + 1);
  std::array<Term, count> terms_{};
};

// Collective. The values of the objects, combined over the ranks in one operation.
template <class... Objects>
void combine_over_ranks(Comm& comm, Objects&... objects) {
  CombinedTerms<Objects...> terms(objects...);
  comm.combine(terms.all());
  terms.take(objects...);
}

}  // namespace lq::comm
