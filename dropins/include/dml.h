/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The movement of sites below QIO: its constants and structures, the order of sites, and their checksum. */
#ifndef DML_H
#define DML_H

#include <lrl.h>
#include <qio_config.h>
#include <qio_stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Into which files a lattice goes: one, one for each node, one for each I/O node (with .volNNNN behind the name), one
 * for each I/O node in a folder of its own (volNNNN before the name). */
#define DML_UNKNOWN -1
#define DML_SINGLEFILE 0
#define DML_MULTIFILE 1
#define DML_PARTFILE 2
#define DML_PARTFILE_DIR 3

/* What a record holds: all sites, no sites but data of the whole, the sites of a hypercube. */
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

/* What a layout of sites over nodes begins with: QIO_Layout (qio.h) is that, DML_Layout has more. */
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

/* And what a record adds to it. */
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

/* Which sites a node's I/O node has in its file. Those of QIO_Reader and QIO_Writer are NULL, as are the objects below.
 */
typedef struct {
  DML_SiteRank* list;
  int use_list;
  DML_SiteRank first, current_rank;
  size_t number_of_io_sites;
  int number_of_my_ionodes;
  size_t current_index;
  int use_subset;
  DML_SiteRank* subset_rank;
  size_t subset_io_sites;
} DML_SiteList;

typedef struct {
  LRL_RecordWriter* lrl_rw;
  char* outbuf;
  char* buf;
  int* coords;
  DML_Checksum* checksum;
  int current_node;
  int my_io_node;
  uint64_t nbytes;
  size_t isite;
  size_t buf_sites;
  size_t max_buf_sites;
  size_t max_dest_sites;
} DML_RecordWriter;

typedef struct {
  LRL_RecordReader* lrl_rr;
  char* inbuf;
  int* coords;
  DML_Checksum* checksum;
  int current_node;
  int my_io_node;
  DML_SiteRank rcv_coords;
  uint64_t nbytes;
  size_t isite;
  size_t buf_extract;
  size_t buf_sites;
  size_t max_buf_sites;
  size_t max_send_sites;
} DML_RecordReader;

/* Which node writes for a node, and which one writes for all. */
typedef int (*DML_io_node_t)(const int);
typedef int (*DML_master_io_node_t)(void);
typedef int (*DML_io_node_ext)(const int, void* arg);
typedef int (*DML_master_io_node_ext)(void* arg);

/* Local. Every node for itself; node 0 for all. */
int DML_io_node(const int node);
int DML_master_io_node(void);

/* Local. All coordinates from lower on to before upper, the first dimension fastest: DML_lex_next returns 0 behind the
 * last one. */
void DML_lex_init(int* dim, int coords[], int latdim, int lower[]);
int DML_lex_next(int* dim, int coords[], int latdim, int lower[], int upper[]);
void DML_lex_coords(int coords[], const int latdim, const int latsize[], const DML_SiteRank rcv_coords);
DML_SiteRank DML_lex_rank(const int coords[], int latdim, int latsize[]);

/* Local. The checksum of formats/scidac.md 4.4: nothing yet; a site in file form more; another part of the sites more.
 */
void DML_checksum_init(DML_Checksum* checksum);
void DML_checksum_accum(DML_Checksum* checksum, DML_SiteRank rank, char* buf, size_t size);
void DML_checksum_peq(DML_Checksum* total, DML_Checksum* checksum);
/* Collective. The checksum of all nodes' sites, on all nodes. */
void DML_checksum_combine(DML_Checksum* checksum);

/* Local. */
int DML_big_endian(void);
void DML_byterevn(void* buf, size_t size, int word_size);
uint32_t DML_crc32(uint32_t crc, const unsigned char* buf, uint32_t len);

/* --- Which sites a file has --- */

/* Local. The node that writes for this one. */
int DML_my_ionode(int volfmt, int serpar, DML_Layout* layout);
/* Local. How many sites its file has; then their ranks in the order of the file, if it needs a list. NULL or 1: a
 * volume format that there is not, or no memory. */
DML_SiteList* DML_init_sitelist(int volfmt, int serpar, DML_Layout* layout);
int DML_fill_sitelist(DML_SiteList* sites, int volfmt, int serpar, DML_Layout* layout);
void DML_free_sitelist(DML_SiteList* sites);
/* Local. 0 where the first n ranks are the same, else 1. */
int DML_compare_sitelists(DML_SiteRank* lista, DML_SiteRank* listb, size_t n);
/* Local. The next record of a file against the list; 0, or 1 where it is another one. While extents are found out, any
 * list is right. */
int DML_read_sitelist(DML_SiteList* sites, LRL_FileReader* lrl_file_in, int volfmt, DML_Layout* layout,
                      LIME_type* lime_type);
/* Local. What the next record is, bounds in n dimensions; 0, or 1 where they are not within the lattice. */
int DML_insert_subset_data(DML_Layout* layout, int recordtype, int* lower, int* upper, int n);
/* Local. Where each site of the list is in a record of a hypercube, -1 outside; 0, or 1 without memory. */
int DML_create_subset_rank(DML_SiteList* sites, DML_Layout* layout, int volfmt, int serpar);
void DML_destroy_subset_rank(DML_SiteList* sites);

/* --- Memory for sites on their way; from malloc, NULL without memory --- */

int* DML_allocate_coords(int latdim, const char* myname, int this_node);
/* Local. A site and, behind it, its rank. */
size_t DML_msg_sizeof(size_t size);
char* DML_allocate_msg(size_t size, char* myname, int this_node);
char* DML_msg_datum(char* msg, size_t size);
DML_SiteRank* DML_msg_rank(char* msg, size_t size);
/* Local. How many sites DML_BUF_BYTES hold, a multiple of `factor`; room for so many, or for half of them, ... */
size_t DML_max_buf_sites(size_t size, int factor);
char* DML_allocate_buf(size_t size, size_t* max_buf_sites);
/* Local. Sites into a record, where it stands or at a site's place; 0, or 1 where they could not be written. */
int DML_write_buf_current(LRL_RecordWriter* lrl_record_out, char* lbuf, size_t buf_sites, size_t size, uint64_t* nbytes,
                          char* myname, int this_node);
int DML_write_buf_seek(LRL_RecordWriter* lrl_record_out, DML_SiteRank seeksite, char* lbuf, size_t buf_sites,
                       size_t size, uint64_t* nbytes, char* myname, int this_node);
/* Local. More sites out of a record once those in memory are taken, where it stands or at a site's place (one); how
 * many there are now. *err: 0, or -1 where they could not be read. */
size_t DML_read_buf_next(LRL_RecordReader* lrl_record_in, size_t size, char* lbuf, size_t* buf_extract,
                         size_t buf_sites, size_t max_buf_sites, size_t isite, size_t max_send_sites, uint64_t* nbytes,
                         char* myname, int this_node, int* err);
size_t DML_seek_read_buf(LRL_RecordReader* lrl_record_in, DML_SiteRank seeksite, size_t size, char* lbuf,
                         size_t* buf_extract, size_t buf_sites, size_t max_buf_sites, size_t isite,
                         size_t max_send_sites, uint64_t* nbytes, char* myname, int this_node, int* err);

/* --- The sites of a record ---
 * The I/O nodes have a record of LRL's open, the others give NULL. get() and put() as in qio.h. Checksums are those of
 * each node's own share, to be combined. */

/* Collective. A whole record, or the data of the whole lattice, which the master node has. The bytes that this node
 * wrote or read itself; 0 on all nodes where something failed. */
uint64_t DML_stream_out(LRL_RecordWriter* lrl_record_out, int recordtype,
                        void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                        int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites, int volfmt, int serpar,
                        DML_Checksum* checksum);
uint64_t DML_stream_in(LRL_RecordReader* lrl_record_in, int recordtype,
                       void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                       int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites, int volfmt, int serpar,
                       int broadcast_global, DML_Checksum* checksum);
uint64_t DML_partition_out(LRL_RecordWriter* lrl_record_out, void (*get)(char* buf, size_t index, int count, void* arg),
                           int count, size_t size, int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites,
                           int volfmt, int serpar, DML_Checksum* checksum);
uint64_t DML_partition_in(LRL_RecordReader* lrl_record_in, void (*put)(char* buf, size_t index, int count, void* arg),
                          int count, size_t size, int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites,
                          int volfmt, int serpar, DML_Checksum* checksum);
uint64_t DML_multifile_out(LRL_RecordWriter* lrl_record_out, void (*get)(char* buf, size_t index, int count, void* arg),
                           int count, size_t size, int word_size, void* arg, DML_Layout* layout,
                           DML_Checksum* checksum);
uint64_t DML_multifile_in(LRL_RecordReader* lrl_record_in, DML_SiteRank sitelist[],
                          void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                          int word_size, void* arg, DML_Layout* layout, DML_Checksum* checksum);
size_t DML_global_in(LRL_RecordReader* lrl_record_in, void (*put)(char* buf, size_t index, int count, void* arg),
                     int count, size_t size, int word_size, void* arg, DML_Layout* layout, int volfmt,
                     int broadcast_global, DML_Checksum* checksum);
/* Local. What the master node writes; nothing on the others. */
size_t DML_global_out(LRL_RecordWriter* lrl_record_out, void (*get)(char* buf, size_t index, int count, void* arg),
                      int count, size_t size, int word_size, void* arg, DML_Layout* layout, int volfmt,
                      DML_Checksum* checksum);
/* `buf` is turned into file form. */
size_t DML_stream_global_out(LRL_RecordWriter* lrl_record_out, void* buf, size_t size, int word_size,
                             DML_Layout* layout, DML_Checksum* checksum);

/* By the nodes of an I/O node, each for the same sites: a record site by site, in any order. 0, or 1 where the site is
 * not in the file or could not be moved. Closing: the bytes that this node wrote or read. */
DML_RecordWriter* DML_partition_open_out(LRL_RecordWriter* lrl_record_out, size_t size, size_t set_buf_sites,
                                         DML_Layout* layout, DML_SiteList* sites, int volfmt, int serpar,
                                         DML_Checksum* checksum);
int DML_partition_sitedata_out(DML_RecordWriter* dml_record_out,
                               void (*get)(char* buf, size_t index, int count, void* arg), DML_SiteRank snd_coords,
                               int count, size_t size, int word_size, void* arg, DML_Layout* layout,
                               DML_SiteList* sites);
int DML_partition_allsitedata_out(DML_RecordWriter* dml_record_out,
                                  void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                                  int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites);
uint64_t DML_partition_close_out(DML_RecordWriter* dml_record_out);
DML_RecordReader* DML_partition_open_in(LRL_RecordReader* lrl_record_in, size_t size, size_t set_buf_sites,
                                        DML_Layout* layout, DML_SiteList* sites, int volfmt, int serpar,
                                        DML_Checksum* checksum);
int DML_partition_sitedata_in(DML_RecordReader* dml_record_in,
                              void (*put)(char* buf, size_t index, int count, void* arg), DML_SiteRank rcv_coords,
                              int count, size_t size, int word_size, void* arg, DML_Layout* layout,
                              DML_SiteList* sites);
int DML_partition_allsitedata_in(DML_RecordReader* dml_record_in,
                                 void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                                 int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites, int volfmt,
                                 DML_Checksum* checksum);
uint64_t DML_partition_close_in(DML_RecordReader* dml_record_in);

/* --- Between nodes --- */

/* Collective. The master node's place in a record on all nodes, each of which has one open; 0, or 1 where a node cannot
 * go there. */
int DML_synchronize_out(LRL_RecordWriter* lrl_record_out, DML_Layout* layout);
int DML_synchronize_in(LRL_RecordReader* lrl_record_in, DML_Layout* layout);
/* By two nodes, after a call that is collective. Bytes from one to the other; other nodes do nothing. 0, else 1. */
int DML_send_bytes(char* buf, size_t size, int tonode);
int DML_get_bytes(char* buf, size_t size, int fromnode);
int DML_route_bytes(char* buf, size_t size, int fromnode, int tonode);
int DML_grid_route(char* buf, size_t size, int fromnode, int tonode);
int DML_clear_to_send(char* buf, size_t size, int my_io_node, int tonode);

/* Collective over all nodes. A node's bytes on all; sums; all have come here. */
void DML_broadcast_bytes(char* buf, size_t size, int this_node, int from_node);
void DML_sum_uint64_t(uint64_t* ipt);
void DML_sum_int(int* ipt);
void DML_global_xor(uint32_t* x);
void DML_sync(void);

#ifdef __cplusplus
}
#endif

#endif
