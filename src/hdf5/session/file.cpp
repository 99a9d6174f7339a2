// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public hdf5::File and hdf5::Array.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <limequat/hdf5.hpp>

#include "base/error.hpp"
#include "hdf5/session/session.hpp"

namespace lq::hdf5 {

namespace {

[[noreturn]] void is_no(const char* wanted, const Array& array) {
  static constexpr const char* names[] = {"int32",   "int64",     "uint64",     "float32",
                                          "float64", "complex64", "complex128", "text"};
  base::fail(Code::invalid_argument, {}, "{} was requested, but it is {} of {} elements", wanted,
             names[array.elements.index()], array.count());
}

// The single element, or all.
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
  // Saturates, so that a huge count never looks small.
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
    // Checked before the conversion, which is undefined for other values.
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

std::string_view name(EntryKind kind) noexcept {
  switch (kind) {
    case EntryKind::group:
      return "group";
    case EntryKind::dataset:
      return "dataset";
    case EntryKind::type:
      return "type";
    case EntryKind::link:
      return "link";
    case EntryKind::other:
      break;
  }
  return "other";
}

File::File(const std::string& path, Mode mode, const Communicator& communicator, const Hdf5Options& options)
    : session_(open_session(path, mode, communicator, options)) {}
File::~File() = default;
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;

File::Session& File::session() const {
  if (session_) return *session_;
  throw Error(Code::wrong_state, "this session with an HDF5 file was moved to another object");
}

const std::string& File::pwd() const { return session().pwd(); }
void File::cd(const std::string& path) { session().cd(path); }
void File::push(const std::string& path) { session().push(path); }
void File::pop() { session().pop(); }
std::vector<Entry> File::ls(const std::string& path) { return session().ls(path); }
Facts File::stat(const std::string& path) { return session().stat(path); }
bool File::exists(const std::string& path) { return session().exists(path); }
void File::mkdir(const std::string& path) { session().mkdir(path); }
void File::remove(const std::string& path) { session().remove(path); }
void File::rename(const std::string& from, const std::string& to) { session().rename(from, to); }
void File::copy(const std::string& from, const std::string& to) { session().copy(from, to); }
void File::write(const std::string& path, const Array& value, bool replace) { session().write(path, value, replace); }
Array File::read(const std::string& path) { return session().read(path).value; }
ReadArray File::read_checked(const std::string& path) { return session().read(path); }
Report File::write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  return session().write(path, grid, field, options);
}
Report File::read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return session().read(path, grid, field, options);
}
Catalog File::catalog() { return session().catalog(); }
std::vector<std::pair<std::string, Array>> File::attributes(const std::string& path) {
  return session().attributes(path);
}
Array File::attribute(const std::string& path, const std::string& name) { return session().attribute(path, name); }
void File::set_attribute(const std::string& path, const std::string& name, const Array& value) {
  session().set_attribute(path, name, value);
}
void File::remove_attribute(const std::string& path, const std::string& name) {
  session().remove_attribute(path, name);
}
void File::flush() { session().flush(); }
void File::close() { session().close(); }

}  // namespace lq::hdf5
