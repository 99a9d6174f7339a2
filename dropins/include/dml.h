/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Constants and structures of QIO, the order of sites, and their checksum. */
#ifndef DML_H
#define DML_H

#include <lrl.h>
#include <qio_config.h>
#include <qio_stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The files of a lattice: one, one for each node, one for each I/O node (with .volNNNN after the name), one
 * for each I/O node in a separate folder (volNNNN before the name). */
#define DML_UNKNOWN -1
#define DML_SINGLEFILE 0
#define DML_MULTIFILE 1
#define DML_PARTFILE 2
#define DML_PARTFILE_DIR 3

/* The contents of a record: all sites, no sites but global data, the sites of a hypercube. */
#define DML_FIELD 0
#define DML_GLOBAL 1
#define DML_HYPER 2

#define DML_SERIAL 0
#define DML_PARALLEL 1

#ifdef QIO_DML_BUF_BYTES
#define DML_BUF_BYTES QIO_DML_BUF_BYTES
#else
#define DML_BUF_BYTES 262144
#endif
#define DML_TBUF_BYTES (DML_BUF_BYTES / 4)

typedef struct {
  uint32_t suma;
  uint32_t sumb;
} DML_Checksum;

typedef uint32_t DML_SiteRank32;
typedef int64_t DML_SiteRank; /* of a site: x + Lx * (y + Ly * (z + ...)) */
typedef n_uint64_t DML_Index;

/* The common beginning of site layouts over nodes: QIO_Layout (qio.h) is this, DML_Layout has more. */
#define DML_LAYOUT_OF_SITES                                                   \
  int (*node_number)(const int coords[]);                                     \
  int (*node_index)(const int coords[]);                                      \
  void (*get_coords)(int coords[], int node, int index);                      \
  int (*num_sites)(int node);                                                 \
  int (*node_number_ext)(const int coords[], void* arg);                      \
  DML_Index (*node_index_ext)(const int coords[], void* arg);                 \
  void (*get_coords_ext)(int coords[], int node, DML_Index index, void* arg); \
  DML_Index (*num_sites_ext)(int node, void* arg);                            \
  void* arg;                                                                  \
  int* latsize;                                                               \
  int latdim;                                                                 \
  size_t volume;                                                              \
  size_t sites_on_node;                                                       \
  int this_node;                                                              \
  int number_of_nodes;

/* Members that describe a record. */
typedef struct {
  DML_LAYOUT_OF_SITES
  int broadcast_globaldata;
  int discover_dims_mode;
  int recordtype;
  int* hyperlower;
  int* hyperupper; /* inclusive */
  size_t subsetvolume;
  int (*ionode)(int node);
  int master_io_node;
} DML_Layout;

/* Objects of the original, whose functions are not provided; pointers to them in QIO's structures are NULL. */
typedef struct DML_SiteList DML_SiteList;
typedef struct DML_RecordWriter DML_RecordWriter;
typedef struct DML_RecordReader DML_RecordReader;

/* The node that writes for a node, and the one that writes for all. */
typedef int (*DML_io_node_t)(const int);
typedef int (*DML_master_io_node_t)(void);
typedef int (*DML_io_node_ext)(const int, void* arg);
typedef int (*DML_master_io_node_ext)(void* arg);

/* Local. Every node for itself; node 0 for all. */
int DML_io_node(const int node);
int DML_master_io_node(void);

/* Local. A site's position in file order, the first dimension fastest, and the reverse. */
void DML_lex_coords(int coords[], const int latdim, const int latsize[], const DML_SiteRank rcv_coords);
DML_SiteRank DML_lex_rank(const int coords[], int latdim, int latsize[]);

/* Local. The checksum of formats/scidac.md 4.4: empty; adds a site in file form; adds another part of the sites. */
void DML_checksum_init(DML_Checksum* checksum);
void DML_checksum_accum(DML_Checksum* checksum, DML_SiteRank rank, char* buf, size_t size);
void DML_checksum_peq(DML_Checksum* total, DML_Checksum* checksum);
/* Collective. The checksum of all nodes' sites, on all nodes. */
void DML_checksum_combine(DML_Checksum* checksum);

/* By two nodes, after a collective call. Sends bytes from one to the other; other nodes do nothing. 0, else 1. */
int DML_route_bytes(char* buf, size_t size, int fromnode, int tonode);
/* Local. Reverses words of `word_size` bytes; the CRC-32 of zlib. */
void DML_byterevn(void* buf, size_t size, int word_size);
uint32_t DML_crc32(uint32_t crc, const unsigned char* buf, uint32_t len);

#ifdef __cplusplus
}
#endif

#endif
