// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include <limequat/error.hpp>
#include <limequat/hdf5.hpp>

namespace lq::hdf5 {

namespace {

[[noreturn]] void is_no(const char* wanted, const Array& array) {
  static constexpr const char* names[] = {"int32",   "int64",     "uint64",     "float32",
                                          "float64", "complex64", "complex128", "text"};
  throw Error(Code::invalid_argument, fmt::format("{} was asked for, but it is {} of {} elements", wanted,
                                                  names[array.elements.index()], array.count()));
}

// The one element there is, or all.
template <class Result, class Convert>
std::vector<Result> converted(const Array& array, const char* wanted, const Convert& convert) {
  return std::visit(
      [&]<class T>(const std::vector<T>& elements) {
        std::vector<Result> results;
        for (const T& element : elements) {
          if constexpr (std::is_invocable_v<Convert, const T&>) {
            results.push_back(convert(element));
          } else {
            is_no(wanted, array);
          }
        }
        return results;
      },
      array.elements);
}

template <class Result>
Result only(const std::vector<Result>& results, const char* wanted, const Array& array) {
  if (results.size() != 1) is_no(wanted, array);
  return results.front();
}

template <class T>
concept Number = std::is_arithmetic_v<T>;

}  // namespace

std::uint64_t Array::count() const noexcept {
  // More than fits a number are as many as a number holds, so that they never look like few.
  std::uint64_t count = 1;
  bool is_too_large = false;
  for (const std::uint64_t extent : extents) {
    if (extent == 0) return 0;
    is_too_large = __builtin_mul_overflow(count, extent, &count) || is_too_large;
  }
  return is_too_large ? std::numeric_limits<std::uint64_t>::max() : count;
}

std::int64_t Array::integer() const {
  const auto whole = [&]<Number T>(const T& value) {
    // Before the conversion, which is not defined for others.
    if constexpr (std::is_floating_point_v<T>) {
      if (!(std::abs(value) < 9e18F)) is_no("an integer", *this);
    }
    const auto result = static_cast<std::int64_t>(value);
    if (static_cast<T>(result) != value || (result < 0) != (value < 0)) is_no("an integer", *this);
    return result;
  };
  return only(converted<std::int64_t>(*this, "an integer", whole), "an integer", *this);
}

std::vector<double> Array::reals() const {
  return converted<double>(*this, "a vector of real numbers",
                           []<Number T>(const T& value) { return static_cast<double>(value); });
}

double Array::real() const {
  return only(converted<double>(*this, "a real number", []<Number T>(const T& v) { return static_cast<double>(v); }),
              "a real number", *this);
}

std::complex<double> Array::complex() const {
  if (const auto* singles = std::get_if<std::vector<std::complex<float>>>(&elements)) {
    return std::complex<double>(only(*singles, "a complex number", *this));
  }
  if (const auto* doubles = std::get_if<std::vector<std::complex<double>>>(&elements)) {
    return only(*doubles, "a complex number", *this);
  }
  return real();
}

const std::string& Array::text() const {
  const auto* texts = std::get_if<std::vector<std::string>>(&elements);
  if (texts == nullptr || texts->size() != 1) is_no("a text", *this);
  return texts->front();
}

bool operator==(const Array& a, const Array& b) {
  const auto same = [](const Axis& one, const Axis& other) {
    return one.name == other.name && one.coordinates == other.coordinates;
  };
  return a.elements == b.elements && a.extents == b.extents && a.axes.size() == b.axes.size() &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), same);
}

}  // namespace lq::hdf5
