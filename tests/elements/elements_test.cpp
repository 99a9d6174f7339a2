// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Types of programs as elements of fields: written as such, the file has the bytes that plain numbers give.
#include <limequat/limequat.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// [own]
struct SU3 {
  double c[18];
};
template <>
struct lq::Reals<SU3> : lq::PlainReals<double, 18> {};
// [/own]

// Shaped like those of Grid: aggregates around aggregates.
namespace grid_like {
template <class T>
struct Scalar {
  T inside;
};
template <class T, int N>
struct Vector {
  T inside[N];
};
template <class T, int N>
struct Matrix {
  T inside[N][N];
};
using Links = Vector<Scalar<Matrix<std::complex<double>, 3>>, 4>;
using SpinColor = Scalar<Vector<Vector<std::complex<float>, 3>, 4>>;
}  // namespace grid_like
template <class T>
struct lq::Reals<grid_like::Scalar<T>> : lq::Reals<T> {};
template <class T, int N>
struct lq::Reals<grid_like::Vector<T, N>> : lq::RepeatedReals<T, N> {};
template <class T, int N>
struct lq::Reals<grid_like::Matrix<T, N>> : lq::RepeatedReals<T, N * N> {};

// Shaped like those of QDP++: private members, copies of their own, so that they are not trivially copyable.
namespace qdp_like {
template <class T>
class Complex {
 public:
  Complex() {}
  Complex(const Complex& other) : re_(other.re_), im_(other.im_) {}
  Complex& operator=(const Complex& other) {
    re_ = other.re_;
    im_ = other.im_;
    return *this;
  }
  T& re() { return re_; }
  T& im() { return im_; }

 private:
  T re_, im_;
};
template <class T, int N>
class ColorMatrix {
 public:
  ColorMatrix() {}
  ColorMatrix(const ColorMatrix& other) { *this = other; }
  ColorMatrix& operator=(const ColorMatrix& other) {
    for (int i = 0; i < N * N; ++i) elements_[i] = other.elements_[i];
    return *this;
  }
  T& at(int row, int column) { return elements_[row * N + column]; }

 private:
  T elements_[N * N];
};
using Link = ColorMatrix<Complex<double>, 3>;
}  // namespace qdp_like
template <class T>
struct lq::Reals<qdp_like::Complex<T>> : lq::PlainReals<T, 2> {};
template <class T, int N>
struct lq::Reals<qdp_like::ColorMatrix<T, N>> : lq::RepeatedReals<T, N * N> {};

// Shaped like those of QUDA: a complex number with constructors, in matrices and spinors.
namespace quda_like {
template <class T>
struct Complex {
  T x{}, y{};
  constexpr Complex(T re = 0, T im = 0) : x(re), y(im) {}
};
template <class T, int N>
struct Matrix {
  T data[N * N];
};
template <class Float, int Nc, int Ns>
struct Spinor {
  Complex<Float> data[Nc * Ns];
};
}  // namespace quda_like
template <class T>
struct lq::Reals<quda_like::Complex<T>> : lq::PlainReals<T, 2> {};
template <class T, int N>
struct lq::Reals<quda_like::Matrix<T, N>> : lq::RepeatedReals<T, N * N> {};
template <class Float, int Nc, int Ns>
struct lq::Reals<quda_like::Spinor<Float, Nc, Ns>> : lq::PlainReals<Float, 2 * Nc * Ns> {};

namespace {

const lq::Extents lattice{2, 2, 2, 3};
constexpr std::size_t sites = 24;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Elements : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("lq-elements-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  lq::Grid grid_{lattice};
};

template <class Real>
std::vector<Real> numbers(std::size_t count) {
  std::vector<Real> result(count);
  std::iota(result.begin(), result.end(), Real(1));
  return result;
}

// `count` elements that hold the numbers 1, 2, ...
template <class Element, class Real>
std::vector<Element> elements(std::size_t count) {
  std::vector<Element> result(count);
  const std::vector<Real> values = numbers<Real>(count * sizeof(Element) / sizeof(Real));
  std::memcpy(static_cast<void*>(result.data()), values.data(), count * sizeof(Element));
  return result;
}

template <class Element>
void expect_links(const lq::Grid& grid, const std::string& folder, std::size_t per_site) {
  std::vector<Element> mine = elements<Element, double>(sites * per_site);
  const std::vector<double> plain = numbers<double>(sites * 72);
  lq::write(folder + "/plain.ildg", grid, lq::gauge(plain));
  lq::write(folder + "/mine.ildg", grid, lq::gauge(mine));
  EXPECT_EQ(bytes_of(folder + "/mine.ildg"), bytes_of(folder + "/plain.ildg"));
  std::vector<Element> again(mine.size());
  lq::read(folder + "/mine.ildg", grid, lq::gauge(again));
  EXPECT_EQ(std::memcmp(static_cast<const void*>(again.data()), plain.data(), plain.size() * sizeof(double)), 0);
}

TEST_F(Elements, OfAPlainStructAreLinks) { expect_links<SU3>(grid_, folder_.string(), 4); }
TEST_F(Elements, OfAnArrayOfStructsAreSites) { expect_links<std::array<SU3, 4>>(grid_, folder_.string(), 1); }
TEST_F(Elements, LikeThoseOfGridAreSites) { expect_links<grid_like::Links>(grid_, folder_.string(), 1); }
TEST_F(Elements, LikeThoseOfQdpAreLinks) { expect_links<qdp_like::Link>(grid_, folder_.string(), 4); }
TEST_F(Elements, LikeThoseOfQudaAreLinks) {
  expect_links<quda_like::Matrix<quda_like::Complex<double>, 3>>(grid_, folder_.string(), 4);
}

TEST_F(Elements, OfSpinorsHaveTheirOwnPrecision) {
  const auto grid_spinors = elements<grid_like::SpinColor, float>(sites);
  const auto quda_spinors = elements<quda_like::Spinor<float, 3, 4>, float>(sites);
  lq::write(path("grid.scidac"), grid_, lq::spinor(grid_spinors));
  lq::write(path("quda.scidac"), grid_, lq::spinor(quda_spinors));
  lq::write(path("plain.scidac"), grid_, lq::spinor(numbers<float>(sites * 24)));
  EXPECT_EQ(bytes_of(path("grid.scidac")), bytes_of(path("plain.scidac")));
  EXPECT_EQ(bytes_of(path("quda.scidac")), bytes_of(path("plain.scidac")));
  EXPECT_EQ(lq::inspect(path("grid.scidac")).field().payload.spec.precision, lq::Precision::single);
}

TEST_F(Elements, OfSitesStateTheirNumbers) {
  const std::vector<SU3> values(sites);
  const lq::Field field = lq::sites(values);
  EXPECT_EQ(field.spec.numbers, 18U);
  EXPECT_TRUE(field.spec.is_complex);
}

}  // namespace
