// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// GPU code: converts sites between memory and file form and computes the CRC-32 of each. Compiled at run time, by
// NVRTC, by hipRTC, and in tests by the host compiler, after site_job.h. No thread depends on another one. The results
// are bit-identical to those of the loops of the host: numbers of one precision are moved as integers, and NaNs keep
// their sign and the front of their payload, as on processors, but unlike on GPUs.
using lq::device::NumberPlace;
using lq::device::SiteJob;

static const unsigned crc_polynomial = 0xedb88320u;

// Remainders of a byte that is followed by 0 .. 3 zero bytes.
__device__ unsigned crc_table[4 * 256];

static __device__ unsigned swapped(unsigned word) {
  return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}

static __device__ unsigned long long swapped(unsigned long long word) {
  return (unsigned long long)swapped((unsigned)word) << 32 | swapped((unsigned)(word >> 32));
}

union SingleBits {
  float value;
  unsigned bits;
};

union DoubleBits {
  double value;
  unsigned long long bits;
};

static __device__ unsigned narrow(unsigned long long bits) {
  if ((bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull) {
    return (unsigned)(bits >> 32 & 0x80000000u) | 0x7fc00000u | (unsigned)(bits >> 29 & 0x3fffffu);
  }
  DoubleBits wide;
  wide.bits = bits;
  SingleBits result;
  result.value = (float)wide.value;
  return result.bits;
}

static __device__ unsigned long long widen(unsigned bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return (unsigned long long)(bits & 0x80000000u) << 32 | 0x7ff8000000000000ull |
           (unsigned long long)(bits & 0x3fffffu) << 29;
  }
  SingleBits narrow_one;
  narrow_one.bits = bits;
  DoubleBits result;
  result.value = (double)narrow_one.value;
  return result.bits;
}

// The place of number `k` of a site; null if absent.
static __device__ void* place_of(const SiteJob& job, unsigned site, unsigned k) {
  const NumberPlace number = job.numbers[k];
  long long place = (long long)site * job.stride;
  if (job.places) {
    place = job.places[number.group * job.sites + site];
    if (place < 0) return 0;
    place *= (long long)job.memory_bytes;
  }
  return (void*)(job.first + (unsigned long long)(number.offset + place));
}

// From memory to the file. Absent sites are zeros.
extern "C" __global__ void pack_sites(SiteJob job) {
  const unsigned step = gridDim.x * blockDim.x, count = job.sites * job.site_numbers;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const void* const from = place_of(job, i / job.site_numbers, i % job.site_numbers);
    if (job.file_bytes == 4) {
      unsigned bits = 0;
      if (from && job.memory_bytes == 4) bits = *(const unsigned*)from;
      if (from && job.memory_bytes == 8) bits = narrow(*(const unsigned long long*)from);
      ((unsigned*)job.file)[i] = job.swap ? swapped(bits) : bits;
    } else {
      unsigned long long bits = 0;
      if (from && job.memory_bytes == 4) bits = widen(*(const unsigned*)from);
      if (from && job.memory_bytes == 8) bits = *(const unsigned long long*)from;
      ((unsigned long long*)job.file)[i] = job.swap ? swapped(bits) : bits;
    }
  }
}

// From the file to memory.
extern "C" __global__ void unpack_sites(SiteJob job) {
  const unsigned step = gridDim.x * blockDim.x, count = job.sites * job.site_numbers;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    void* const to = place_of(job, i / job.site_numbers, i % job.site_numbers);
    if (!to) continue;
    if (job.file_bytes == 4) {
      unsigned bits = ((const unsigned*)job.file)[i];
      if (job.swap) bits = swapped(bits);
      if (job.memory_bytes == 4) *(unsigned*)to = bits;
      if (job.memory_bytes == 8) *(unsigned long long*)to = widen(bits);
    } else {
      unsigned long long bits = ((const unsigned long long*)job.file)[i];
      if (job.swap) bits = swapped(bits);
      if (job.memory_bytes == 4) *(unsigned*)to = narrow(bits);
      if (job.memory_bytes == 8) *(unsigned long long*)to = bits;
    }
  }
}

// Once, before crcs_of_sites: a thread for each byte.
extern "C" __global__ void make_crc_table(SiteJob) {
  const unsigned byte = threadIdx.x;
  unsigned crc = byte;
  for (unsigned zeros = 0; zeros < 4; ++zeros) {
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? crc_polynomial : 0u);
    crc_table[zeros * 256 + byte] = crc;
  }
}

// A thread for each site, whose bytes are 32-bit words in any order. The machine is little-endian.
extern "C" __global__ void crcs_of_sites(SiteJob job) {
  const unsigned step = gridDim.x * blockDim.x, words = job.site_numbers * (job.file_bytes / 4);
  for (unsigned site = blockIdx.x * blockDim.x + threadIdx.x; site < job.sites; site += step) {
    const unsigned* const file = (const unsigned*)job.file + (unsigned long long)site * words;
    unsigned crc = 0xffffffffu;
    for (unsigned i = 0; i < words; ++i) {
      crc ^= file[i];
      crc = crc_table[768 + (crc & 255)] ^ crc_table[512 + (crc >> 8 & 255)] ^
            crc_table[256 + (crc >> 16 & 255)] ^ crc_table[crc >> 24];
    }
    job.crcs[site] = ~crc;
  }
}
