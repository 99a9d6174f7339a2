// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each preset and each word against plain loops that follow the definition of the code that has the layout.
#include "lattice/layout_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <limequat/error.hpp>

#include "lattice/site_order.hpp"
#include "support/error_of.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;

// A rank's box that begins at odd coordinates of the application's lattice where `lower` says so.
const Box whole_box{{2, 4, 0, 6}, {4, 6, 2, 8}};

// The place of number c of a site at x (counted in the box): which array, and where in it.
struct At {
  std::size_t array = 0;
  std::size_t number = 0;
};
using Formula = std::function<At(const std::array<std::size_t, 4>& x, std::size_t c)>;

const std::array<std::size_t, 4> box_extents{4, 6, 2, 8};
constexpr std::size_t box_volume = 4 * 6 * 2 * 8;

std::size_t lexicographic(const std::array<std::size_t, 4>& x) {
  return x[0] + box_extents[0] * (x[1] + box_extents[1] * (x[2] + box_extents[2] * x[3]));
}
std::size_t parity_of(const std::array<std::size_t, 4>& x) { return (x[0] + x[1] + x[2] + x[3]) % 2; }

template <class Work>
void for_each_number(std::size_t numbers, const Work& work) {
  for (std::size_t i = 0; i < box_volume; ++i) {
    std::array<std::size_t, 4> x{};
    for (std::size_t d = 0, rest = i; d < 4; rest /= box_extents[d++]) x[d] = rest % box_extents[d];
    for (std::size_t c = 0; c < numbers; ++c) work(x, i, c);
  }
}

struct LayoutCase {
  std::string name, words;
  FieldSpec spec;
  std::size_t arrays = 1, length = 0;  // of an array
  Formula at;
  std::vector<std::uint64_t> table = {};
};

void PrintTo(const LayoutCase& c, std::ostream* out) { *out << c.name; }

FieldSpec gauge_of(Precision precision) {
  FieldSpec spec = gauge_spec(precision, 3, 4);
  spec.numbers = 72;
  return spec;
}

// As openQCD numbers the points of a local lattice: the even ones first, through blocks of 4 x L0 x 4 x 4 (or 3, 2, 1
// where these divide the extents), x0 = t slowest and x3 = z fastest in each. By a loop over blocks and points.
std::vector<std::size_t> points_of_openqcd() {
  const std::array<std::size_t, 4> sizes{box_extents[3], box_extents[0], box_extents[1], box_extents[2]};  // t, x, y, z
  std::array<std::size_t, 4> block{sizes[0]};
  for (std::size_t d = 1; d < 4; ++d) {
    for (const std::size_t b : {4U, 3U, 2U, 1U}) {
      if (sizes[d] % b != 0) continue;
      block[d] = b;
      break;
    }
  }
  std::vector<std::size_t> ipt(box_volume);
  std::array<std::size_t, 2> next{0, box_volume / 2};
  std::array<std::size_t, 4> n{}, y{}, x{};
  for (n[1] = 0; n[1] < sizes[1] / block[1]; ++n[1]) {
    for (n[2] = 0; n[2] < sizes[2] / block[2]; ++n[2]) {
      for (n[3] = 0; n[3] < sizes[3] / block[3]; ++n[3]) {
        for (y[0] = 0; y[0] < block[0]; ++y[0]) {
          for (y[1] = 0; y[1] < block[1]; ++y[1]) {
            for (y[2] = 0; y[2] < block[2]; ++y[2]) {
              for (y[3] = 0; y[3] < block[3]; ++y[3]) {
                for (std::size_t d = 0; d < 4; ++d) x[d] = n[d] * block[d] + y[d];
                const std::size_t parity = (x[0] + x[1] + x[2] + x[3]) % 2;
                ipt[x[3] + sizes[3] * (x[2] + sizes[2] * (x[1] + sizes[1] * x[0]))] = next[parity]++;
              }
            }
          }
        }
      }
    }
  }
  return ipt;
}

// Sites by tables, as openQCD and HiRep have them.
std::vector<LayoutCase> cases_by_table() {
  const FieldSpec gauge = gauge_of(Precision::double_), spinor = spinor_spec(Precision::single);
  const std::vector<std::size_t> ipt = points_of_openqcd();
  const auto z_fastest = [](const auto& x) {
    return ((x[3] * box_extents[0] + x[0]) * box_extents[1] + x[1]) * box_extents[2] + x[2];
  };
  // Dimension of direction mu = 0 .. 3 of these codes.
  constexpr std::array<std::size_t, 4> dimension{3, 0, 1, 2};
  // Link mu of a point: at the point itself where it is odd, else at its odd neighbour.
  const auto link_place = [=](std::array<std::size_t, 4> x, std::size_t mu) {
    const bool is_odd = parity_of(x) == 1;
    std::size_t& along = x[dimension[mu]];
    if (!is_odd) along = (along + 1) % box_extents[dimension[mu]];
    return 8 * (ipt[z_fastest(x)] - box_volume / 2) + 2 * mu + (is_odd ? 0 : 1);
  };
  std::vector<std::uint64_t> of_links(4 * box_volume), of_sites(ipt.begin(), ipt.end()), with_gaps;
  for_each_number(
      4, [&](const auto& x, std::size_t, std::size_t mu) { of_links[4 * z_fastest(x) + mu] = link_place(x, mu); });
  // HiRep has buffers between its blocks of inner points.
  for (const std::size_t point : ipt) with_gaps.push_back(point + point / 16 * 7);
  constexpr std::size_t last = box_volume - 1 + (box_volume - 1) / 16 * 7;
  std::vector<LayoutCase> all;
  all.push_back({"openqcd", "openqcd", gauge, 1, 72 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   return At{0, link_place(x, (c / 18 + 1) % 4) * 18 + c % 18};
                 },
                 of_links});
  all.push_back({"openqcd_by_columns", "openqcd matrix=columns", gauge_of(Precision::single), 1, 72 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   const std::size_t row = c % 18 / 6, column = c % 6 / 2;
                   return At{0, link_place(x, (c / 18 + 1) % 4) * 18 + (column * 3 + row) * 2 + c % 2};
                 },
                 of_links});
  all.push_back({"openqcd_spinor", "openqcd_spinor", spinor, 1, 24 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   return At{0, ipt[z_fastest(x)] * 24 + c};
                 },
                 of_sites});
  all.push_back({"hirep", "hirep", gauge, 1, 72 * (last + 1),
                 [=](const auto& x, std::size_t c) {
                   const std::size_t point = ipt[z_fastest(x)];
                   return At{0, (point + point / 16 * 7) * 72 + (c / 18 + 1) % 4 * 18 + c % 18};
                 },
                 with_gaps});
  all.push_back({"hirep_spinor", "hirep_spinor", spinor, 1, 24 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   return At{0, ipt[z_fastest(x)] * 24 + c};
                 },
                 of_sites});
  // Arrays for directions, whose sites a table of x fastest has in turn from the last to the first.
  std::vector<std::uint64_t> from_the_end(box_volume);
  for (std::size_t i = 0; i < box_volume; ++i) from_the_end[i] = box_volume - 1 - i;
  all.push_back({"arrays_by_table", "places=of-sites links=in-arrays", gauge, 4, 18 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   return At{c / 18, (box_volume - 1 - lexicographic(x)) * 18 + c % 18};
                 },
                 from_the_end});
  return all;
}

std::vector<LayoutCase> cases() {
  const FieldSpec gauge = gauge_of(Precision::double_), spinor = spinor_spec(Precision::single);
  const FieldSpec propagator = propagator_spec(Precision::double_);
  constexpr std::size_t half = box_volume / 2;
  const auto even_first = [](const auto& x) { return lexicographic(x) / 2 + parity_of(x) * half; };
  std::vector<LayoutCase> all;
  all.push_back({"milc", "milc", gauge, 1, 72 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{0, even_first(x) * 72 + c};
                 }});
  all.push_back({"quda_host", "quda_host", gauge, 4, 18 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{c / 18, even_first(x) * 18 + c % 18};
                 }});
  all.push_back({"quda_host_spinor", "quda_host_spinor", spinor, 1, 24 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{0, even_first(x) * 24 + c};
                 }});
  // FloatNOrder: of each parity, direction, pair of numbers: an array of sites.
  all.push_back(
      {"quda_native", "quda_native padding=5", gauge, 1, 2 * 72 * (half + 5), [=](const auto& x, std::size_t c) {
         const std::size_t mu = c / 18, pair = c % 18 / 2, stride = half + 5;
         return At{0,
                   parity_of(x) * 72 * stride + mu * 18 * stride + (pair * stride + lexicographic(x) / 2) * 2 + c % 2};
       }});
  all.push_back({"quda_native_spinor", "quda_native_spinor block=4", spinor, 1, 24 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   return At{0, parity_of(x) * 24 * half + (c / 4 * half + lexicographic(x) / 2) * 4 + c % 4};
                 }});
  // Pairs of single precision: eight bytes of each of eight arrays, in a row.
  all.push_back({"quda_native_single", "quda_native", gauge_of(Precision::single), 1, 2 * 72 * half,
                 [=](const auto& x, std::size_t c) {
                   return At{0, parity_of(x) * 72 * half + c / 18 * 18 * half +
                                    (c % 18 / 2 * half + lexicographic(x) / 2) * 2 + c % 2};
                 }});
  // g_ipt[t][x][y][z], directions t, x, y, z.
  const auto z_fastest = [](const auto& x) {
    return ((x[3] * box_extents[0] + x[0]) * box_extents[1] + x[1]) * box_extents[2] + x[2];
  };
  all.push_back({"tmlqcd", "tmlqcd", gauge, 1, 72 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{0, z_fastest(x) * 72 + (c / 18 + 1) % 4 * 18 + c % 18};
                 }});
  all.push_back({"tmlqcd_spinor", "tmlqcd_spinor", spinor, 1, 24 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{0, z_fastest(x) * 24 + c};
                 }});
  all.push_back({"qdp", "qdp", gauge, 4, 18 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{c / 18, even_first(x) * 18 + c % 18};
                 }});
  all.push_back({"qdp_spinor", "qdp_spinor", propagator, 1, 288 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{0, even_first(x) * 288 + c};
                 }});
  // Vectors of two: sites of the lower and of the upper half in t.
  all.push_back({"grid", "grid", gauge, 1, 72 * box_volume, [=](const auto& x, std::size_t c) {
                   const std::size_t outer = lexicographic({x[0], x[1], x[2], x[3] % 4}), lane = x[3] / 4;
                   return At{0, (outer * 36 + c / 2) * 4 + lane * 2 + c % 2};
                 }});
  // Lanes along y and t, those of y first.
  all.push_back({"grid_of_four", "grid lanes=1,2,1,2", spinor, 1, 24 * box_volume, [=](const auto& x, std::size_t c) {
                   const std::size_t outer = x[0] + 4 * (x[1] % 3 + 3 * (x[2] + 2 * (x[3] % 4)));
                   return At{0, (outer * 12 + c / 2) * 8 + (x[1] / 3 + 2 * (x[3] / 4)) * 2 + c % 2};
                 }});
  // Eight lanes, t slowest among sites and fastest among lanes.
  all.push_back({"grid_of_eight", "order=3,2,1,0 lanes=2,2,1,2", gauge_of(Precision::single), 1, 72 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   const std::size_t outer = x[3] % 4 + 4 * (x[2] + 2 * (x[1] % 3 + 3 * (x[0] % 2)));
                   return At{0, (outer * 36 + c / 2) * 16 + (x[3] / 4 + 2 * (x[1] / 3 + 2 * (x[0] / 2))) * 2 + c % 2};
                 }});
  all.push_back({"vectors_of_three_by_columns", "lanes=1,3,1,1 matrix=columns", gauge, 1, 72 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   const std::size_t outer = x[0] + 4 * (x[1] % 2 + 2 * (x[2] + 2 * x[3]));
                   const std::size_t there = c / 18 * 9 + c % 6 / 2 * 3 + c % 18 / 6;
                   return At{0, (outer * 36 + there) * 6 + x[1] / 2 * 2 + c % 2};
                 }});
  all.push_back({"vectors_in_arrays", "lanes=2,1,1,2 links=in-arrays", gauge, 4, 18 * box_volume,
                 [=](const auto& x, std::size_t c) {
                   const std::size_t outer = x[0] % 2 + 2 * (x[1] + 6 * (x[2] + 2 * (x[3] % 4)));
                   return At{c / 18, (outer * 9 + c % 18 / 2) * 8 + (x[0] / 2 + 2 * (x[3] / 4)) * 2 + c % 2};
                 }});
  all.push_back({"halo", "halo=1,0,2,1", gauge, 1, 72 * 6 * 6 * 6 * 10, [=](const auto& x, std::size_t c) {
                   return At{0, (x[0] + 1 + 6 * (x[1] + 6 * (x[2] + 2 + 6 * (x[3] + 1)))) * 72 + c};
                 }});
  all.push_back(
      {"columns", "matrix=columns directions=3,0,1,2", gauge, 1, 72 * box_volume, [=](const auto& x, std::size_t c) {
         const std::size_t row = c % 18 / 6, column = c % 6 / 2;
         return At{0, lexicographic(x) * 72 + (c / 18 + 1) % 4 * 18 + (column * 3 + row) * 2 + c % 2};
       }});
  all.push_back(
      {"columns_of_a_propagator", "matrix=columns", propagator, 1, 288 * box_volume, [=](const auto& x, std::size_t c) {
         const std::size_t row = c % 18 / 6, column = c % 6 / 2;
         return At{0, lexicographic(x) * 288 + c / 18 * 18 + (column * 3 + row) * 2 + c % 2};
       }});
  all.push_back(
      {"outermost", "links=outermost order=3,2,1,0", gauge, 1, 72 * box_volume, [=](const auto& x, std::size_t c) {
         const std::size_t site = x[3] + 8 * (x[2] + 2 * (x[1] + 6 * x[0]));
         return At{0, (c / 18 * box_volume + site) * 18 + c % 18};
       }});
  all.push_back({"odd_first", "parity=odd-first", spinor, 1, 24 * box_volume, [=](const auto& x, std::size_t c) {
                   return At{0, (lexicographic(x) / 2 + (1 - parity_of(x)) * half) * 24 + c};
                 }});
  const std::vector<LayoutCase> by_table = cases_by_table();
  all.insert(all.end(), by_table.begin(), by_table.end());
  return all;
}

class EachLayout : public ::testing::TestWithParam<LayoutCase> {
 protected:
  static double value(std::size_t site, std::size_t c) { return static_cast<double>(site * 512 + c + 1); }

  // All rows along an axis, some of them in two pieces.
  template <class Work>
  static void for_each_row(int axis, const Work& work) {
    const std::int64_t length = whole_box.extents[axis], first = length > 3 ? 3 : length;
    Box starts = whole_box;
    starts.extents[axis] = 1;
    const SiteOrder natural = lattice::resolve_order({}, 4);
    for (std::uint64_t i = 0; i < starts.volume(); ++i) {
      Coord x = lattice::site_at(i, starts, natural);
      work(x, static_cast<std::uint64_t>(first));
      x[axis] += first;
      if (length > first) work(x, static_cast<std::uint64_t>(length - first));
    }
  }
  static std::size_t site_of(const Coord& x) {
    std::array<std::size_t, 4> local{};
    for (int d = 0; d < 4; ++d)
      local[static_cast<std::size_t>(d)] = static_cast<std::size_t>(x[d] - whole_box.lower[d]);
    return lexicographic(local);
  }

  template <class Real>
  using Arrays = std::vector<std::vector<Real>>;
  template <class Real>
  static Arrays<Real> empty(std::size_t shift = 0) {
    return Arrays<Real>(GetParam().arrays, std::vector<Real>(GetParam().length + shift, Real(-1)));
  }
  // What the formula says, `shift` numbers behind the begin of each array.
  template <class Real>
  static Arrays<Real> formula(std::size_t shift = 0) {
    Arrays<Real> arrays = empty<Real>(shift);
    for_each_number(static_cast<std::size_t>(GetParam().spec.numbers),
                    [&](const auto& x, std::size_t site, std::size_t c) {
                      const At at = GetParam().at(x, c);
                      arrays.at(at.array).at(at.number + shift) = static_cast<Real>(value(site, c));
                    });
    return arrays;
  }

  // `beyond_caches`: whether what is given goes around the caches, as that of large fields does.
  static constexpr std::array<std::size_t, 2> each_way{RowsIn::large_field, 0};

  template <class Real>
  void check(std::size_t beyond_caches) {
    const LayoutCase& layout = GetParam();
    const auto numbers = static_cast<std::size_t>(layout.spec.numbers);
    auto truth = formula<Real>();
    const MemoryLayout words = memory_layout(layout.words, layout.table);
    EXPECT_EQ(arrays_of(words, layout.spec, whole_box.extents, pointers(truth)).numbers, layout.length);
    for (int axis = 0; axis < 4; ++axis) {
      const Field from{layout.spec, pointers(truth), layout.length, {}, {}, words, {}};
      RowsOut out(from, whole_box);
      auto copy = empty<Real>();
      const MutableField to{layout.spec, pointers(copy), layout.length, {}, {}, words, {}};
      RowsIn in(to, whole_box, beyond_caches);
      for_each_row(axis, [&](const Coord& x, std::uint64_t sites) {
        std::vector<Real> row(static_cast<std::size_t>(sites) * numbers);
        out.take(RowPart{x, axis, sites}, reinterpret_cast<std::byte*>(row.data()));
        Coord at = x;
        for (std::size_t k = 0; k < sites; ++k, ++at[axis]) {
          for (std::size_t c = 0; c < numbers; ++c) {
            ASSERT_EQ(row[k * numbers + c], static_cast<Real>(value(site_of(at), c)))
                << to_string(at) << " number " << c;
          }
        }
        in.give(RowPart{x, axis, sites}, reinterpret_cast<const std::byte*>(row.data()));
      });
      if (HasFatalFailure()) return;
      in.finish();
      EXPECT_TRUE(copy == truth) << "rows along axis " << axis;
    }
  }

  // work(rows): one row of each of as many boxes as vectors have lanes (or of four, without vectors), at the same
  // place.
  template <class Work>
  static void for_each_row_of_boxes(const MemoryLayout& words, const Work& work) {
    const std::vector<std::uint64_t> lanes = words.lanes.empty() ? std::vector<std::uint64_t>{2, 1, 1, 2} : words.lanes;
    const SiteOrder order = lattice::resolve_order(words.order, 4);
    Extents inner = whole_box.extents, outer = whole_box.extents;
    for (int d = 0; d < 4; ++d) {
      outer[d] = static_cast<std::int64_t>(lanes[static_cast<std::size_t>(d)]);
      inner[d] /= outer[d];
    }
    Box starts{Coord::filled(4, 0), inner};
    starts.extents[0] = 1;
    for (std::uint64_t i = 0; i < starts.volume(); ++i) {
      std::vector<RowPart> parts;
      for (std::uint64_t lane = 0; lane < lq::volume(outer); ++lane) {
        Coord x = lattice::site_at(lane, {Coord::filled(4, 0), outer}, order);
        const Coord start = lattice::site_at(i, starts, lattice::resolve_order({}, 4));
        for (int d = 0; d < 4; ++d) x[d] = whole_box.lower[d] + x[d] * inner[d] + start[d];
        parts.push_back({x, 0, static_cast<std::uint64_t>(inner[0])});
      }
      work(parts);
    }
  }

  // Rows of several boxes at once; after the first of them rows of which the first box has one site more.
  template <class Real>
  void check_boxes(std::size_t beyond_caches) {
    const LayoutCase& layout = GetParam();
    auto truth = formula<Real>();
    auto copy = empty<Real>();
    const MemoryLayout words = memory_layout(layout.words, layout.table);
    RowsOut out({layout.spec, pointers(truth), layout.length, {}, {}, words, {}}, whole_box);
    RowsIn in({layout.spec, pointers(copy), layout.length, {}, {}, words, {}}, whole_box, beyond_caches);
    bool is_first = true;
    for_each_row_of_boxes(words, [&](std::vector<RowPart> parts) {
      if (HasFatalFailure()) return;
      move<Real>(parts, out, in);
      const bool has_more = static_cast<std::int64_t>(parts.front().sites) < whole_box.extents[0];
      ++parts.front().sites;
      if (std::exchange(is_first, false) && has_more) move<Real>(parts, out, in);
    });
    in.finish();
    EXPECT_TRUE(copy == truth);
  }

  template <class Real>
  void move(const std::vector<RowPart>& parts, RowsOut& out, RowsIn& in) {
    const auto numbers = static_cast<std::size_t>(GetParam().spec.numbers);
    std::vector<Real> sites(box_volume * numbers);
    out.take(parts, reinterpret_cast<std::byte*>(sites.data()));
    std::size_t i = 0;
    for (const RowPart& part : parts) {
      Coord at = part.x;
      for (std::uint64_t k = 0; k < part.sites; ++k, ++at[part.axis]) {
        for (std::size_t c = 0; c < numbers; ++c) ASSERT_EQ(sites[i++], static_cast<Real>(value(site_of(at), c)));
      }
    }
    in.give(parts, reinterpret_cast<const std::byte*>(sites.data()));
  }

  // Sites to the bytes of a file and back in one pass, beside what becomes of those that are put together first. In the
  // file they are that many parts of equally many sites, with a gap between.
  void move_in_one_pass(std::span<const RowPart> parts, std::size_t count, std::size_t gap, RowsOut& out, RowsIn& in) {
    const FieldSpec& spec = GetParam().spec;
    const kernels::SiteForm form{spec.numbers, spec.precision, spec.precision, true};
    const kernels::SiteCrc crc(static_cast<std::uint64_t>(spec.site_bytes()));
    std::size_t sites = 0;
    for (const RowPart& part : parts) sites += part.sites;
    const auto site_bytes = static_cast<std::size_t>(spec.site_bytes());
    const std::size_t of_part = sites / count, apart = of_part * site_bytes + gap;
    std::vector<std::byte> memory(sites * site_bytes), expected(count * apart, std::byte{7}), file = expected;
    std::vector<std::uint32_t> crcs(sites);
    out.take(parts, memory.data());
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const part = expected.data() + i * apart;
      kernels::pack_sites(form, memory.data() + i * of_part * site_bytes, static_cast<std::ptrdiff_t>(site_bytes),
                          of_part, part);
      crc.of_sites(part, of_part, crcs.data() + i * of_part);
    }
    out.aim_at(parts);
    const auto taken = out.take({form, crc}, {file.data(), count, apart});
    ASSERT_TRUE(file == expected);
    ASSERT_TRUE(std::ranges::equal(taken, crcs));
    if (!in.go_in_one_pass()) return in.give(parts, memory.data());
    in.aim_at(parts);
    const auto given = in.give({form, crc}, {file.data(), count, apart});
    ASSERT_TRUE(file == expected);
    ASSERT_TRUE(std::ranges::equal(given, crcs));
  }

  // All sites, rows of vectors or `most` sites at once.
  template <class Real>
  void check_one_pass(std::uint64_t most, std::size_t shift, std::size_t beyond_caches) {
    const LayoutCase& layout = GetParam();
    auto truth = formula<Real>(shift), copy = empty<Real>(shift);
    const MemoryLayout words = memory_layout(layout.words, layout.table);
    RowsOut out({layout.spec, pointers(truth, shift), layout.length, {}, {}, words, {}}, whole_box);
    RowsIn in({layout.spec, pointers(copy, shift), layout.length, {}, {}, words, {}}, whole_box, beyond_caches);
    ASSERT_TRUE(out.go_in_one_pass());
    ASSERT_EQ(in.go_in_one_pass(), !layout.name.starts_with("quda_native"));
    RowWalk(whole_box, lattice::resolve_order({}, 4), most).walk(0, box_volume, [&](const auto& parts, auto, auto) {
      move_in_one_pass(parts, 1, 0, out, in);
    });
    for_each_row_of_boxes(words, [&](std::vector<RowPart> parts) {
      move_in_one_pass(parts, parts.size(), 40, out, in);
      move_in_one_pass(parts, 1, 0, out, in);
      if (parts.size() % 2 == 0) move_in_one_pass(parts, 2, 8, out, in);
      for (RowPart& part : parts) part.sites = 1;
      move_in_one_pass(parts, parts.size(), 0, out, in);
    });
    in.finish();
    EXPECT_TRUE(copy == truth);
  }

  // All sites in the order of a file, so many at once, in arrays that begin `shift` numbers behind an aligned address.
  template <class Real>
  void check_runs(std::uint64_t most, std::size_t shift, std::size_t beyond_caches) {
    const LayoutCase& layout = GetParam();
    const auto numbers = static_cast<std::size_t>(layout.spec.numbers);
    auto truth = formula<Real>(shift), copy = empty<Real>(shift);
    const MemoryLayout words = memory_layout(layout.words, layout.table);
    RowsOut out({layout.spec, pointers(truth, shift), layout.length, {}, {}, words, {}}, whole_box);
    RowsIn in({layout.spec, pointers(copy, shift), layout.length, {}, {}, words, {}}, whole_box, beyond_caches);
    std::vector<Real> row(box_volume * numbers);
    RowWalk(whole_box, lattice::resolve_order({}, 4), most)
        .walk(0, box_volume, [&](const auto& parts, auto first, auto sites) {
          out.take(parts, reinterpret_cast<std::byte*>(row.data()));
          for (std::size_t i = 0; i < sites * numbers; ++i) {
            ASSERT_EQ(row[i], static_cast<Real>(value(first + i / numbers, i % numbers)))
                << "site " << first + i / numbers;
          }
          in.give(parts, reinterpret_cast<const std::byte*>(row.data()));
        });
    in.finish();
    EXPECT_TRUE(copy == truth) << most << " sites at once, " << shift << " numbers from an aligned address";
  }

 private:
  template <class Real>
  void* pointers(std::vector<std::vector<Real>>& arrays, std::size_t shift = 0) {
    if (arrays.size() == 1) return arrays.front().data() + shift;
    auto& kept = lists_.emplace_back();
    for (auto& array : arrays) kept.push_back(array.data() + shift);
    return kept.data();
  }
  std::vector<std::vector<void*>> lists_;
};

TEST_P(EachLayout, IsWhatItsCodeHas) {
  for (const std::size_t beyond_caches : each_way) {
    if (GetParam().spec.precision == Precision::double_) {
      check<double>(beyond_caches);
    } else {
      check<float>(beyond_caches);
    }
  }
}

TEST_P(EachLayout, IsMovedInRunsOfAnyLengthFromAnyAddress) {
  for (const std::size_t beyond_caches : each_way) {
    for (const std::uint64_t most : {7U, 50U, 384U}) {
      for (std::size_t shift = 0; shift < 5; ++shift) {
        if (GetParam().spec.precision == Precision::double_) {
          check_runs<double>(most, shift, beyond_caches);
        } else {
          check_runs<float>(most, shift, beyond_caches);
        }
      }
    }
  }
}

TEST_P(EachLayout, IsMovedFromSeveralBoxesAtOnce) {
  for (const std::size_t beyond_caches : each_way) {
    if (GetParam().spec.precision == Precision::double_) {
      check_boxes<double>(beyond_caches);
    } else {
      check_boxes<float>(beyond_caches);
    }
  }
}

TEST_P(EachLayout, IsMovedToFilesAndBackInOnePass) {
  if (!kernels::has_stripe_loops({1, Precision::single, Precision::single, true}, kernels::SiteCrc(576))) {
    GTEST_SKIP() << "this instruction set has no loops for it";
  }
  for (const std::size_t beyond_caches : each_way) {
    for (const std::uint64_t most : {7U, 50U, 384U}) {
      if (GetParam().spec.precision == Precision::double_) {
        check_one_pass<double>(most, most % 3, beyond_caches);
      } else {
        check_one_pass<float>(most, most % 3, beyond_caches);
      }
    }
  }
}

// Sites of whole vectors are one piece of memory each; of those that lack a lane it is not asked for.
TEST(Vectors, AreFetchedAheadOnce) {
  const FieldSpec spec = gauge_of(Precision::double_);
  std::vector<double> values(72 * box_volume);
  RowsOut out({spec, values.data(), values.size(), {}, {}, memory_layout("grid"), {}}, whole_box);
  const RowPart lower{{3, 5, 1, 7}, 0, 2}, upper{{3, 5, 1, 11}, 0, 2}, other{{3, 5, 0, 11}, 0, 2};
  const auto ahead = out.aim_at(std::vector{lower, upper});
  ASSERT_EQ(ahead.size(), 1U);
  EXPECT_EQ(ahead.front().piece, reinterpret_cast<std::uintptr_t>(values.data()));
  EXPECT_EQ(ahead.front().bytes, 2 * 576U);
  EXPECT_EQ(ahead.front().sites, 2U);
  EXPECT_EQ(ahead.front().places[1], static_cast<std::int64_t>(lexicographic({2, 1, 1, 1}) * 144));
  EXPECT_TRUE(out.aim_at(std::vector{lower, other}).empty());
  EXPECT_TRUE(out.aim_at(std::vector{upper, lower}).empty());
}

INSTANTIATE_TEST_SUITE_P(Memory, EachLayout, ::testing::ValuesIn(cases()),
                         [](const auto& about) { return about.param.name; });

// Integers of 16 bits in blocks of four, and a norm for each site, as QUDA has them.
TEST(HalfPrecision, IsAnIntegerTimesTheNormOfItsSite) {
  constexpr std::size_t numbers = 24, half = box_volume / 2, stride = half + 5;
  const FieldSpec spec = spinor_spec(Precision::single);
  std::vector<std::int16_t> integers(2 * stride * numbers, 7);
  std::vector<float> norms(2 * stride, -1), sites(box_volume * numbers);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sites[i] = static_cast<float>(std::sin(static_cast<double>(i)) * static_cast<double>(i / numbers + 1));
  }
  sites[3 * numbers + 5] = std::numeric_limits<float>::infinity();
  std::fill_n(sites.begin() + 8 * numbers, numbers, 0.0F);
  std::array<void*, 2> arrays{integers.data(), norms.data()};
  const MemoryLayout words = memory_layout("quda_native_spinor block=4 padding=5 norms=in-array");
  EXPECT_EQ(arrays_of(words, spec, whole_box.extents, arrays.data()).numbers, integers.size());
  const MutableField field{spec, arrays.data(), integers.size(), {}, {}, words, {}};
  RowsIn in(field, whole_box);
  RowsOut out(field, whole_box);
  RowWalk walk(whole_box, lattice::resolve_order({}, 4), 50);
  walk.walk(0, box_volume, [&](const auto& parts, auto first, auto) {
    in.give(parts, reinterpret_cast<const std::byte*>(sites.data() + first * numbers));
  });
  std::vector<float> back(sites.size());
  walk.walk(0, box_volume, [&](const auto& parts, auto first, auto) {
    out.take(parts, reinterpret_cast<std::byte*>(back.data() + first * numbers));
  });
  for_each_number(numbers, [&](const auto& x, std::size_t site, std::size_t c) {
    const std::size_t at = parity_of(x) * stride + lexicographic(x) / 2;
    const std::int16_t integer =
        integers[parity_of(x) * stride * numbers + (c / 4 * stride + lexicographic(x) / 2) * 4 + c % 4];
    if (site == 3) {
      EXPECT_TRUE(std::isnan(norms[at]) && std::isnan(back[site * numbers + c]) && integer == 0);
      return;
    }
    double largest = 0;
    for (std::size_t k = 0; k < numbers; ++k) {
      largest = std::max(largest, std::fabs(static_cast<double>(sites[site * numbers + k])));
    }
    ASSERT_EQ(norms[at], static_cast<float>(largest / 32767)) << site;
    const double number = static_cast<double>(sites[site * numbers + c]);
    ASSERT_EQ(integer, largest == 0 ? 0 : std::lround(number / static_cast<double>(norms[at]))) << site << " " << c;
    ASSERT_EQ(back[site * numbers + c], static_cast<float>(integer) * norms[at]);
    ASSERT_LE(std::fabs(static_cast<double>(back[site * numbers + c]) - number), largest / 65000);
  });
  EXPECT_TRUE(norms[half] == -1 && norms[2 * stride - 1] == -1 && integers[half * 4] == 7);
}

TEST(HalfPrecision, GoesWithSitesAndSinglePrecision) {
  const auto refused = [](const char* words, const FieldSpec& spec) {
    const Error error = error_of([&] { SitePlaces(memory_layout(words), spec, whole_box.extents); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return std::string(error.what());
  };
  EXPECT_NE(refused("norms=in-array", spinor_spec(Precision::double_)).find("half precision"), std::string::npos);
  EXPECT_NE(refused("grid norms=in-array", spinor_spec(Precision::single)).find("a norm is of a site"),
            std::string::npos);
  std::array<void*, 2> arrays{&arrays, nullptr};
  const Error error = error_of([&] {
    arrays_of(memory_layout("norms=in-array"), spinor_spec(Precision::single), whole_box.extents, arrays.data());
  });
  EXPECT_NE(std::string(error.what()).find("the array of norms is missing"), std::string::npos) << error.what();
}

TEST(OneParity, IsZeroElsewhereAndPassedOver) {
  const FieldSpec spec = spinor_spec(Precision::double_);
  std::vector<double> odd(24 * box_volume / 2);
  for (std::size_t i = 0; i < odd.size(); ++i) odd[i] = static_cast<double>(i + 1);
  MemoryLayout words = memory_layout("parity=odd-only");
  const Field from{spec, odd.data(), odd.size(), {}, {}, words, {}};
  RowsOut out(from, whole_box);
  std::vector<double> row(4 * 24), back(odd.size());
  RowsIn in(MutableField{spec, back.data(), back.size(), {}, {}, words, {}}, whole_box);
  for (std::int64_t y = 0; y < 6; ++y) {
    out.take(RowPart{{2, 4 + y, 0, 6}, 0, 4}, reinterpret_cast<std::byte*>(row.data()));
    for (std::size_t x = 0; x < 4; ++x) {
      const std::size_t site = x + 4 * static_cast<std::size_t>(y);
      const bool is_odd = (x + static_cast<std::size_t>(y)) % 2 == 1;
      EXPECT_EQ(row[x * 24], is_odd ? static_cast<double>(site / 2 * 24 + 1) : 0.0);
    }
    in.give(RowPart{{2, 4 + y, 0, 6}, 0, 4}, reinterpret_cast<const std::byte*>(row.data()));
  }
  EXPECT_TRUE(std::equal(back.begin(), back.begin() + 24 * 12, odd.begin()));
}

TEST(ParitiesOfABox, AreThoseOfTheLattice) {
  const FieldSpec spec = generic_spec(Precision::double_, 1, false);
  std::vector<double> values{10, 11, 20, 21};
  MemoryLayout words = memory_layout("parity=even-first");
  words.corner_parity = 1;
  RowsOut out(Field{spec, values.data(), 4, {}, {}, words, {}}, Box{{5, 0}, {2, 2}});
  std::array<double, 2> row{};
  out.take(RowPart{{5, 0}, 0, 2}, reinterpret_cast<std::byte*>(row.data()));
  EXPECT_EQ(row, (std::array<double, 2>{20, 10}));  // (5,0) is odd
}

TEST(RowFunctions, AreCalledForRows) {
  const FieldSpec spec = generic_spec(Precision::double_, 1, false);
  Field field{spec, nullptr, 0, {}, {}, {}, [](const Coord& x, int axis, std::uint64_t sites, void* row) {
                for (std::uint64_t k = 0; k < sites; ++k) {
                  static_cast<double*>(row)[k] = static_cast<double>(x[axis]) + static_cast<double>(k);
                }
              }};
  RowsOut out(field, whole_box);
  std::array<double, 3> row{};
  out.take(RowPart{{2, 5, 0, 6}, 1, 3}, reinterpret_cast<std::byte*>(row.data()));
  EXPECT_EQ(row, (std::array<double, 3>{5, 6, 7}));
}

struct Misfit {
  const char *words, *sentence;
};
class LayoutThatDoesNotFit : public ::testing::TestWithParam<Misfit> {};

void PrintTo(const Misfit& misfit, std::ostream* out) { *out << misfit.words; }

TEST_P(LayoutThatDoesNotFit, IsToldByItsNumber) {
  const Error error =
      error_of([] { SitePlaces(memory_layout(GetParam().words), gauge_of(Precision::double_), whole_box.extents); });
  EXPECT_EQ(error.code(), Code::invalid_argument) << error.what();
  EXPECT_NE(std::string(error.what()).find(GetParam().sentence), std::string::npos) << error.what();
}

INSTANTIATE_TEST_SUITE_P(
    Memory, LayoutThatDoesNotFit,
    ::testing::Values(Misfit{"lanes=1,4,1,1", "4 lanes in dimension 1, which do not divide the 6 sites"},
                      Misfit{"lanes=1,1,0,1", "0 lanes in dimension 2"}, Misfit{"halo=1,1", "2 numbers for halo"},
                      Misfit{"lanes=2,2,2", "3 numbers for lanes"},
                      Misfit{"halo=1,1,1,1 parity=even-first", "together"},
                      Misfit{"lanes=2,1,1,1 halo=1,1,1,1", "together"}, Misfit{"lanes=2,1,1,1 block=2", "together"},
                      Misfit{"block=7", "blocks of 7 numbers, which do not divide the 72 of a site"},
                      Misfit{"block=4 links=outermost", "the 18 of a link"}, Misfit{"order=0,1,2", "order"},
                      Misfit{"order=0,1,1,3", "order"}, Misfit{"directions=0,1,2,4", "order"}));

TEST(LayoutOfLinks, IsNoneOfSpinors) {
  const FieldSpec spec = spinor_spec(Precision::double_);
  for (const char* words : {"links=outermost", "directions=3,0,1,2", "matrix=columns", "tmlqcd"}) {
    EXPECT_EQ(error_of([&] { SitePlaces(memory_layout(words), spec, whole_box.extents); }).code(),
              Code::invalid_argument);
  }
}

TEST(TableOfPlaces, IsRefusedWhereItCannotBe) {
  const std::vector<std::uint64_t> table(4 * box_volume);
  const auto sentence = [&](const char* words, std::span<const std::uint64_t> with, const FieldSpec& spec) {
    const Error error = error_of([&] { arrays_of(memory_layout(words, with), spec, whole_box.extents, table.data()); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return std::string(error.what());
  };
  const FieldSpec gauge = gauge_of(Precision::double_), spinor = spinor_spec(Precision::double_);
  EXPECT_NE(sentence("openqcd", {}, gauge).find("no table is given"), std::string::npos);
  EXPECT_NE(sentence("hirep", std::span(table).first(0), gauge).find("no table is given"), std::string::npos);
  EXPECT_NE(sentence("milc", table, gauge).find("does not state of what"), std::string::npos);
  EXPECT_NE(sentence("places=of-sites halo=1,1,1,1", table, gauge).find("together with"), std::string::npos);
  EXPECT_NE(sentence("places=of-links links=in-arrays", table, gauge).find("together with links="), std::string::npos);
  EXPECT_NE(sentence("openqcd", table, spinor).find("spinor"), std::string::npos);
  EXPECT_NE(sentence("hirep", std::span(table).first(9), gauge).find("has 9 entries, but 384"), std::string::npos);
  EXPECT_NE(sentence("openqcd", std::span(table).first(box_volume), gauge).find("but 1536"), std::string::npos);
  EXPECT_NE(sentence("hirep", table, gauge).find("has place 0 twice"), std::string::npos);
}

TEST(Arrays, ThatAreMissingAreTold) {
  std::array<void*, 4> arrays{};
  const Error error = error_of(
      [&] { arrays_of(memory_layout("qdp"), gauge_of(Precision::double_), whole_box.extents, arrays.data()); });
  EXPECT_NE(std::string(error.what()).find("direction 0"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace lq::lattice
