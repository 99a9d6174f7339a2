// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which sites the file of an I/O node has, and where those of a hypercube lie in it (dml.h).
#include <dml.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/bytes.hpp"
#include "compat/qio/layout_calls.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/outcome.hpp"
#include "compat/qio/record_sites.hpp"

using namespace lq::compat::qio;

namespace {

using Calls = LayoutCalls<DML_Layout>;

constexpr int done = 0, failed = 1;

template <class Work>
int done_or_failed(Work&& work) {
  return outcome_of(failed, work).code == QIO_SUCCESS ? done : failed;
}

// Whether each I/O node has a list, in a file or in a part of one.
bool is_of_family(int volfmt, int serpar) {
  return volfmt == DML_PARTFILE || volfmt == DML_PARTFILE_DIR || (volfmt == DML_SINGLEFILE && serpar == DML_PARALLEL);
}

std::vector<int> family_of(const DML_Layout& layout) {
  std::vector<int> nodes;
  const int mine = layout.ionode(layout.this_node);
  for (int node = 0; node < layout.number_of_nodes; ++node) {
    if (layout.ionode(node) == mine) nodes.push_back(node);
  }
  return nodes;
}

DML_SiteRank* room_for(std::size_t ranks) {
  auto* const memory = static_cast<DML_SiteRank*>(std::malloc(std::max<std::size_t>(1, ranks) * sizeof(DML_SiteRank)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Appends the ranks of a node's sites in the order of their numbers.
DML_SiteRank* append_ranks(const DML_Layout& layout, int node, std::uint64_t sites, DML_SiteRank* to) {
  std::array<int, QIO_MAXINTARRAY> coords{};
  for (std::uint64_t i = 0; i < sites; ++i) {
    Calls(layout).coordinates(coords.data(), node, i);
    *to++ = DML_lex_rank(coords.data(), layout.latdim, layout.latsize);
  }
  return to;
}

std::uint64_t sites_of_family(const DML_Layout& layout, const std::vector<int>& nodes) {
  std::uint64_t sites = 0;
  if (layout.latdim == 0) return sites;
  for (const int node : nodes) sites += Calls(layout).sites(node);
  return sites;
}

// By LRL: the ranks that a file lists.
std::vector<std::uint64_t> read_ranks(LRL_FileReader* file, const DML_SiteList& sites, bool is_of_any_size,
                                      LIME_type* lime_type) {
  std::uint64_t bytes = 0;
  int status = 0;
  LRL_RecordReader* const record = LRL_open_read_record(file, &bytes, lime_type, &status);
  if (record == nullptr) throw Refusal(QIO_ERR_BAD_SITELIST, "no list of sites");
  const std::uint64_t count = is_of_any_size ? bytes / sizeof(DML_SiteRank32) : sites.number_of_io_sites;
  std::vector<std::byte> list;
  const bool is_right = bytes == count * sizeof(DML_SiteRank32) || bytes == count * sizeof(DML_SiteRank);
  if (is_right) {
    // As many as are there: the record may say more than the file has.
    constexpr std::uint64_t piece = 1 << 20;
    for (std::uint64_t at = 0; at < bytes;) {
      const std::uint64_t now = std::min(piece, bytes - at);
      list.resize(static_cast<std::size_t>(at + now));
      if (LRL_read_bytes(record, reinterpret_cast<char*>(list.data() + at), now) != now) break;
      at += now;
    }
  }
  LRL_close_read_record(record);
  if (!is_right || list.size() != bytes) throw Refusal(QIO_ERR_BAD_SITELIST, "the list of sites is of another size");
  return site_list_of_bytes(list, count);
}

}  // namespace

extern "C" {

int DML_my_ionode(int volfmt, int serpar, DML_Layout* layout) {
  if (volfmt == DML_MULTIFILE) return layout->this_node;
  if (is_of_family(volfmt, serpar)) return layout->ionode(layout->this_node);
  return volfmt == DML_SINGLEFILE ? layout->master_io_node : 0;
}

DML_SiteList* DML_init_sitelist(int volfmt, int serpar, DML_Layout* layout) {
  if (volfmt < DML_SINGLEFILE || volfmt > DML_PARTFILE_DIR) return nullptr;
  auto* const sites = static_cast<DML_SiteList*>(std::calloc(1, sizeof(DML_SiteList)));
  if (sites == nullptr) return nullptr;
  sites->use_list = volfmt == DML_SINGLEFILE && serpar == DML_SERIAL ? 0 : 1;
  sites->number_of_io_sites = volfmt == DML_MULTIFILE ? layout->sites_on_node : layout->volume;
  if (!is_of_family(volfmt, serpar)) return sites;
  const int code = done_or_failed([&] {
    const std::vector<int> nodes = family_of(*layout);
    sites->number_of_io_sites = sites_of_family(*layout, nodes);
    sites->number_of_my_ionodes = static_cast<int>(nodes.size());
  });
  if (code == done) return sites;
  std::free(sites);
  return nullptr;
}

void DML_free_sitelist(DML_SiteList* sites) {
  if (sites == nullptr) return;
  std::free(sites->list);
  std::free(sites);
}

int DML_fill_sitelist(DML_SiteList* sites, int volfmt, int serpar, DML_Layout* layout) {
  if (sites->use_list == 0) return done;
  return done_or_failed([&] {
    const bool is_alone = volfmt == DML_MULTIFILE;
    if (!is_alone && !is_of_family(volfmt, serpar)) throw Refusal(QIO_ERR_BAD_VOLFMT, "no such volume format");
    const std::vector<int> nodes = is_alone ? std::vector<int>{layout->this_node} : family_of(*layout);
    const auto sites_of = [&](int node) { return is_alone ? layout->sites_on_node : Calls(*layout).sites(node); };
    std::uint64_t all = 0;
    for (const int node : nodes) all += sites_of(node);
    if (all != sites->number_of_io_sites) throw Refusal(QIO_ERR_BAD_SITELIST, "the number of sites has changed");
    std::free(sites->list);
    sites->list = nullptr;
    sites->list = room_for(sites->number_of_io_sites);
    DML_SiteRank* end = sites->list;
    for (const int node : nodes) end = append_ranks(*layout, node, sites_of(node), end);
    if (!is_alone) std::sort(sites->list, end);
  });
}

int DML_compare_sitelists(DML_SiteRank* lista, DML_SiteRank* listb, size_t n) {
  return std::equal(lista, lista + n, listb) ? done : failed;
}

int DML_read_sitelist(DML_SiteList* sites, LRL_FileReader* lrl_file_in, int, DML_Layout* layout, LIME_type* lime_type) {
  if (sites->use_list == 0) return done;
  return done_or_failed([&] {
    const bool is_of_any_size = layout->discover_dims_mode != 0;
    const auto found = read_ranks(lrl_file_in, *sites, is_of_any_size, lime_type);
    if (is_of_any_size ||
        std::equal(found.begin(), found.end(), sites->list, sites->list + sites->number_of_io_sites,
                   [](std::uint64_t a, DML_SiteRank b) { return static_cast<DML_SiteRank>(a) == b; })) {
      return;
    }
    throw Refusal(QIO_ERR_BAD_SITELIST, "the file's sites are not those of these nodes");
  });
}

int DML_insert_subset_data(DML_Layout* layout, int recordtype, int* lower, int* upper, int n) {
  return done_or_failed([&] {
    if (recordtype == DML_HYPER) {
      set_bounds(*layout, lower, upper, n);
    } else {
      layout->subsetvolume = layout->volume;
    }
    layout->recordtype = recordtype;
  });
}

int DML_create_subset_rank(DML_SiteList* sites, DML_Layout* layout, int volfmt, int serpar) {
  sites->use_subset = 0;
  sites->subset_rank = nullptr;
  sites->subset_io_sites = sites->number_of_io_sites;
  if (layout->recordtype == DML_FIELD) return done;
  return done_or_failed([&] {
    sites->subset_rank = room_for(sites->number_of_io_sites);
    sites->use_subset = 1;
    const bool lies_apart = volfmt == DML_SINGLEFILE && serpar == DML_PARALLEL;
    const Hypercube hypercube = hypercube_of(*layout);
    std::size_t found = 0;
    for (std::size_t i = 0; i < sites->number_of_io_sites; ++i) {
      const DML_SiteRank rank = sites->use_list != 0 ? sites->list[i] : sites->first + static_cast<DML_SiteRank>(i);
      const auto place = place_within(static_cast<std::uint64_t>(rank), hypercube.lattice, hypercube.box);
      sites->subset_rank[i] = !place ? -1 : static_cast<DML_SiteRank>(lies_apart ? *place : found);
      found += place ? 1 : 0;
    }
    sites->subset_io_sites = found;
  });
}

void DML_destroy_subset_rank(DML_SiteList* sites) {
  std::free(sites->subset_rank);
  sites->subset_rank = nullptr;
  sites->use_subset = 0;
}

}  // extern "C"
