// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job for the kernels, as seen by the host and by the compiler for the GPU. That compiler gets this file before
// site_kernels.cu, and no other header.
#ifndef LIMEQUAT_DEVICE_SITE_JOB_H
#define LIMEQUAT_DEVICE_SITE_JOB_H

namespace lq::device {

// The place of a number of a site: an offset in bytes from the place of the site, of which there may be several.
struct NumberPlace {
  long long offset;
  unsigned long long group;
};

struct SiteJob {
  const NumberPlace* numbers;  // of a site, in the order of the file
  const long long* places;     // of each group, of each site, in numbers; -1: absent. Or null:
  unsigned long long first;    // address of the first site; 0 if the offsets are addresses
  long long stride;            // bytes to the next site
  unsigned char* file;         // sites in file form, contiguous; aligned for numbers
  unsigned* crcs;              // one for each site
  unsigned sites;
  unsigned site_numbers;
  unsigned memory_bytes;  // size of a number: 4 or 8
  unsigned file_bytes;
  unsigned swap;  // the byte order of the file differs
};

}  // namespace lq::device

#endif
