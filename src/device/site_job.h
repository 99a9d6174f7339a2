// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a GPU is given to do with sites, as the host and the compiler for the GPU see it: that compiler gets this file
// before site_kernels.cu and no header of anybody's.
#ifndef LIMEQUAT_DEVICE_SITE_JOB_H
#define LIMEQUAT_DEVICE_SITE_JOB_H

namespace lq::device {

// Where a number of a site lies: so many bytes behind the place of the site, of which there may be several.
struct NumberPlace {
  long long offset;
  unsigned long long group;
};

struct SiteJob {
  const NumberPlace* numbers;  // of a site, in the order of the file
  const long long* places;     // of each group, of each site, in numbers; -1: it is not there. Or null:
  unsigned long long first;    // address of the first site; 0 where the offsets are addresses
  long long stride;            // bytes to the next site
  unsigned char* file;         // sites in file form, one behind the other; aligned for numbers
  unsigned* crcs;              // one for each site
  unsigned sites;
  unsigned site_numbers;
  unsigned memory_bytes;  // of a number: 4 or 8
  unsigned file_bytes;
  unsigned swap;  // the byte order of the file is not ours
};

}  // namespace lq::device

#endif
