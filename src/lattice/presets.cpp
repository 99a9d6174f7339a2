// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts by the names of the codes that have them. Sources: QUDA, gauge_field_order.h and color_spinor_field_order.h
// (QUDA_QDP_GAUGE_ORDER, FloatNOrder with N = 2 for all 18 numbers of a link); MILC, layout_hyper_prime.c (EVENFIRST);
// tmLQCD, geometry_eo.c (g_ipt, z fastest; directions t, x, y, z); QDP++, Layout for checkerboards of two;
// Grid, Lattice_base.h and GridDefaultSimd(); openQCD, README.global (ipt, iup, links at odd points); HiRep, global.h
// and field_ordering.h (ipt, coord_to_index()).
#include <limequat/memory.hpp>

namespace lq {

const std::vector<MemoryPreset>& memory_presets() {
  static const std::vector<MemoryPreset> presets{
      {"quda_host", "parity=even-first links=in-arrays",
       "QUDA's host order QUDA_QDP_GAUGE_ORDER: four pointers, even sites first"},
      {"quda_host_spinor", "parity=even-first", "QUDA's host spinors: even sites first, spin before color"},
      {"quda_native", "parity=even-first links=outermost block=2",
       "QUDA's own order of links without reconstruction: pairs of numbers, sites of a parity fastest"},
      {"quda_native_spinor", "parity=even-first block=2",
       "QUDA's own order of spinors in double precision; block=4 in single"},
      {"milc", "parity=even-first", "MILC's sites, or fields of four matrices a site: even sites first"},
      {"tmlqcd", "order=2,1,0,3 directions=3,0,1,2", "tmLQCD's g_gauge_field: z fastest, directions t, x, y, z"},
      {"tmlqcd_spinor", "order=2,1,0,3", "tmLQCD's spinors in lexicographic order: z fastest"},
      {"openqcd", "order=2,1,0,3 directions=3,0,1,2 places=of-links",
       "openQCD's udfld(): eight links at each odd point, by a table made of ipt and iup"},
      {"openqcd_spinor", "order=2,1,0,3 places=of-sites", "openQCD's spinors, by its ipt as the table"},
      {"hirep", "order=2,1,0,3 directions=3,0,1,2 places=of-sites",
       "HiRep's u_gauge: directions t, x, y, z, sites by its ipt(t,x,y,z) as the table"},
      {"hirep_spinor", "order=2,1,0,3 places=of-sites", "HiRep's spinors, by its ipt(t,x,y,z) as the table"},
      {"qdp", "parity=even-first links=in-arrays", "QDP++'s multi1d<LatticeColorMatrix>: an array for each direction"},
      {"qdp_spinor", "parity=even-first", "QDP++'s LatticeFermion and LatticePropagator"},
      {"grid", "lanes=1,1,1,2", "Grid's lattices with vectors of two complex numbers; lanes= for longer ones"},
  };
  return presets;
}

}  // namespace lq
