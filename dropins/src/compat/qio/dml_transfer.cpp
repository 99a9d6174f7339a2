// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites between the nodes and records of LRL's (dml.h): whole fields by the exchange that QIO_write and QIO_read have,
// single sites from node to node.
#include <qio.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "comm/agree.hpp"
#include "compat/qio/layout_calls.hpp"
#include "compat/qio/lrl_file.hpp"
#include "compat/qio/nodes.hpp"
#include "compat/qio/outcome.hpp"
#include "compat/qio/record_sites.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

// No transfer of ours takes the last one as long as there are fewer than that under way.
constexpr int channel_of_calls = comm::channels - 1;

base::MutableBytes memory_at(char* buf, std::size_t size) { return {reinterpret_cast<std::byte*>(buf), size}; }

QIO_Layout nodes_layout(const DML_Layout& layout) {
  return {layout.node_number,    layout.node_index,     layout.get_coords,    layout.num_sites, layout.node_number_ext,
          layout.node_index_ext, layout.get_coords_ext, layout.num_sites_ext, layout.arg,       layout.latsize,
          layout.latdim,         layout.volume,         layout.sites_on_node, layout.this_node, layout.number_of_nodes};
}

struct Transfer {
  SiteCall call;
  DML_Layout* layout;
  int volfmt;
  DML_Checksum* checksum;
};

// Collective. The bytes that this node wrote or read, 0 where it failed. The sums of the nodes are in their own.
std::uint64_t move_all(const Transfer& transfer, RecordAsFile& record, std::exception_ptr (SiteExchange::*move)()) {
  DML_checksum_init(transfer.checksum);
  std::uint64_t bytes = 0;
  outcome_of(QIO_ERR_BAD_WRITE_BYTES, [&] {
    const DML_Layout& layout = *transfer.layout;
    const auto nodes = nodes_of_layout(layout.number_of_nodes, layout.this_node);
    const Family family =
        make_family(*nodes, transfer.volfmt, IoNodes(layout.ionode, layout.master_io_node), nodes_layout(layout));
    const RecordSites sites = sites_of_record(*nodes, family, layout, transfer.volfmt);
    // A record of LRL's has one writer, and one reader.
    const transport::Unit unit{.one_writer = true};
    const SitePlace place{&record, 0, sites.of_family, family.leader, unit};
    std::exception_ptr failure;
    const Checksum sum = comm::agree(*nodes, [&] {
      SiteExchange exchange(*family.comm, *sites.order, place, transfer.call);
      failure = (exchange.*move)();
      return exchange.checksum();
    });
    *transfer.checksum = {sum.suma, sum.sumb};
    if (agree_on(*nodes, outcome_of_failure(QIO_ERR_BAD_WRITE_BYTES, failure)) != QIO_SUCCESS) return;
    if (family.leads()) bytes = sites.of_family * transfer.call.site_bytes;
  });
  return bytes;
}

// Whether the sites of one record of an I/O node have this one, and where.
bool find_place(const DML_SiteList& sites, DML_SiteRank rank, DML_SiteRank& place) {
  std::size_t i = static_cast<std::size_t>(rank - sites.first);
  if (sites.use_list != 0) {
    const DML_SiteRank *const begin = sites.list, *const end = begin + sites.number_of_io_sites;
    i = static_cast<std::size_t>(std::find(begin, end, rank) - begin);
  }
  if (rank < 0 || i >= sites.number_of_io_sites) return false;
  place = sites.use_subset != 0 ? sites.subset_rank[i] : static_cast<DML_SiteRank>(i);
  return place >= 0;
}

// Which node has a site, under which number.
struct Home {
  Home(const DML_Layout& layout, int* coords, DML_SiteRank rank) {
    DML_lex_coords(coords, layout.latdim, layout.latsize, rank);
    const LayoutCalls<DML_Layout> calls(layout);
    node = calls.node(coords);
    if (node == layout.this_node) index = static_cast<std::size_t>(calls.index(coords));
  }
  int node;
  std::size_t index = 0;
};

// All sites of a record, one after the other: work(rank) until it fails.
template <class Work>
int for_each_rank(DML_SiteList& sites, Work&& work) {
  for (sites.current_index = 0; sites.current_index < sites.number_of_io_sites; ++sites.current_index) {
    const auto i = sites.current_index;
    sites.current_rank = sites.use_list != 0 ? sites.list[i] : sites.first + static_cast<DML_SiteRank>(i);
    if (sites.use_subset != 0 && sites.subset_rank[i] < 0) continue;
    if (work(sites.current_rank) != 0) return 1;
  }
  return 0;
}

// A record for single sites, whose buffer is the member `buffer`; empty, with the I/O node of this one.
template <class Record>
Record* opened_record(std::size_t size, char* Record::*buffer, DML_Checksum* checksum, int io_node) {
  DML_checksum_init(checksum);
  auto* const record = static_cast<Record*>(std::calloc(1, sizeof(Record)));
  std::size_t one = 1;
  char* const memory = DML_allocate_buf(size, &one);
  int* const coords = DML_allocate_coords(QIO_MAXINTARRAY, "", 0);
  if (record == nullptr || memory == nullptr || coords == nullptr) {
    std::free(record);
    std::free(memory);
    std::free(coords);
    return nullptr;
  }
  record->*buffer = memory;
  record->coords = coords;
  record->checksum = checksum;
  record->current_node = record->my_io_node = io_node;
  record->max_buf_sites = 1;
  return record;
}

// The bytes that passed.
template <class Record>
std::uint64_t closed_record(Record* record, char* Record::*buffer) {
  if (record == nullptr) return 0;
  const std::uint64_t bytes = record->nbytes;
  std::free(record->coords);
  std::free(record->*buffer);
  std::free(record);
  return bytes;
}

// Collective. Where the master is in its record the others are, too.
template <class Record>
int follow_master(Record* record, const DML_Layout& layout, void (*get)(Record*, void**, std::size_t*),
                  int (*set)(Record*, void*), void (*destroy)(void*)) {
  void* state = nullptr;
  std::size_t bytes = 0;
  get(record, &state, &bytes);
  DML_broadcast_bytes(static_cast<char*>(state), bytes, layout.this_node, layout.master_io_node);
  const bool is_told = layout.this_node != layout.master_io_node;
  const int code = is_told ? set(record, state) : LRL_SUCCESS;
  destroy(state);
  return code == LRL_SUCCESS ? 0 : 1;
}

std::uint64_t sum_and_write(LRL_RecordWriter* record, char* buf, std::size_t size, int word_size, DML_Checksum* sum) {
  turn_words(reinterpret_cast<std::byte*>(buf), size, word_size);
  DML_checksum_accum(sum, 0, buf, size);
  return LRL_write_bytes(record, buf, size) == size ? size : 0;
}

}  // namespace

extern "C" {

// --- From node to node -----------------------------------------------------------------------------------------------

int DML_send_bytes(char* buf, size_t size, int tonode) {
  return outcome_of(1, [&] { comm::wait(all_nodes()->start_send(memory_at(buf, size), tonode, channel_of_calls)); })
      .code;
}

int DML_get_bytes(char* buf, size_t size, int fromnode) {
  return outcome_of(1,
                    [&] { comm::wait(all_nodes()->start_receive(memory_at(buf, size), fromnode, channel_of_calls)); })
      .code;
}

int DML_route_bytes(char* buf, size_t size, int fromnode, int tonode) {
  if (fromnode == tonode) return 0;
  int me = -1;
  if (const auto known = outcome_of(1, [&] { me = all_nodes()->rank(); }); known.code != 0) return known.code;
  if (me == tonode) return DML_get_bytes(buf, size, fromnode);
  return me == fromnode ? DML_send_bytes(buf, size, tonode) : 0;
}

int DML_grid_route(char* buf, size_t size, int fromnode, int tonode) {
  return DML_route_bytes(buf, size, fromnode, tonode);
}

int DML_clear_to_send(char* buf, size_t size, int my_io_node, int tonode) {
  return DML_route_bytes(buf, size, my_io_node, tonode);
}

int DML_synchronize_out(LRL_RecordWriter* lrl_record_out, DML_Layout* layout) {
  return follow_master(lrl_record_out, *layout, LRL_get_writer_state, LRL_set_writer_state,
                       LRL_destroy_writer_state_copy);
}

int DML_synchronize_in(LRL_RecordReader* lrl_record_in, DML_Layout* layout) {
  return follow_master(lrl_record_in, *layout, LRL_get_reader_state, LRL_set_reader_state,
                       LRL_destroy_reader_state_copy);
}

// --- Whole records ---------------------------------------------------------------------------------------------------

uint64_t DML_partition_out(LRL_RecordWriter* lrl_record_out, void (*get)(char* buf, size_t index, int count, void* arg),
                           int count, size_t size, int word_size, void* arg, DML_Layout* layout, DML_SiteList*,
                           int volfmt, int, DML_Checksum* checksum) {
  RecordAsFile record(nullptr, lrl_record_out);
  return move_all({{get, arg, count, size, word_size}, layout, volfmt, checksum}, record, &SiteExchange::write);
}

uint64_t DML_partition_in(LRL_RecordReader* lrl_record_in, void (*put)(char* buf, size_t index, int count, void* arg),
                          int count, size_t size, int word_size, void* arg, DML_Layout* layout, DML_SiteList*,
                          int volfmt, int, DML_Checksum* checksum) {
  RecordAsFile record(lrl_record_in, nullptr);
  return move_all({{put, arg, count, size, word_size}, layout, volfmt, checksum}, record, &SiteExchange::read);
}

uint64_t DML_multifile_out(LRL_RecordWriter* lrl_record_out, void (*get)(char* buf, size_t index, int count, void* arg),
                           int count, size_t size, int word_size, void* arg, DML_Layout* layout,
                           DML_Checksum* checksum) {
  return DML_partition_out(lrl_record_out, get, count, size, word_size, arg, layout, nullptr, DML_MULTIFILE, DML_SERIAL,
                           checksum);
}

uint64_t DML_multifile_in(LRL_RecordReader* lrl_record_in, DML_SiteRank*,
                          void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                          int word_size, void* arg, DML_Layout* layout, DML_Checksum* checksum) {
  return DML_partition_in(lrl_record_in, put, count, size, word_size, arg, layout, nullptr, DML_MULTIFILE, DML_SERIAL,
                          checksum);
}

size_t DML_stream_global_out(LRL_RecordWriter* lrl_record_out, void* buf, size_t size, int word_size,
                             DML_Layout* layout, DML_Checksum* checksum) {
  DML_checksum_init(checksum);
  if (layout->this_node != layout->master_io_node) return 0;
  return sum_and_write(lrl_record_out, static_cast<char*>(buf), size, word_size, checksum);
}

size_t DML_global_out(LRL_RecordWriter* lrl_record_out, void (*get)(char* buf, size_t index, int count, void* arg),
                      int count, size_t size, int word_size, void* arg, DML_Layout* layout, int,
                      DML_Checksum* checksum) {
  size_t bytes = 0;
  outcome_of(QIO_ERR_ALLOC, [&] {
    std::vector<char> buffer(size);
    if (layout->this_node == layout->master_io_node) get(buffer.data(), 0, count, arg);
    bytes = DML_stream_global_out(lrl_record_out, buffer.data(), size, word_size, layout, checksum);
  });
  return bytes;
}

size_t DML_global_in(LRL_RecordReader* lrl_record_in, void (*put)(char* buf, size_t index, int count, void* arg),
                     int count, size_t size, int word_size, void* arg, DML_Layout* layout, int, int broadcast_global,
                     DML_Checksum* checksum) {
  DML_checksum_init(checksum);
  const bool is_master = layout->this_node == layout->master_io_node;
  size_t bytes = 0;
  outcome_of(QIO_ERR_BAD_READ_BYTES, [&] {
    const auto nodes = nodes_of_layout(layout->number_of_nodes, layout->this_node);
    std::vector<char> buffer;
    const int code = agree_code(*nodes, QIO_ERR_BAD_READ_BYTES, [&] {
      buffer.resize(size);
      if (!is_master) return;
      if (LRL_read_bytes(lrl_record_in, buffer.data(), size) != size) {
        throw Refusal(QIO_ERR_BAD_READ_BYTES, "a global record is shorter than what is asked for");
      }
      DML_checksum_accum(checksum, 0, buffer.data(), size);
      bytes = size;
    });
    if (code != QIO_SUCCESS) return;
    if (broadcast_global != 0) nodes->broadcast(memory_at(buffer.data(), size), layout->master_io_node);
    if (broadcast_global == 0 && !is_master) return;
    turn_words(reinterpret_cast<std::byte*>(buffer.data()), size, word_size);
    put(buffer.data(), 0, count, arg);
  });
  return bytes;
}

uint64_t DML_stream_out(LRL_RecordWriter* lrl_record_out, int recordtype,
                        void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                        int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites, int volfmt, int serpar,
                        DML_Checksum* checksum) {
  if (recordtype == DML_GLOBAL) {
    return DML_global_out(lrl_record_out, get, count, size, word_size, arg, layout, volfmt, checksum);
  }
  return DML_partition_out(lrl_record_out, get, count, size, word_size, arg, layout, sites, volfmt, serpar, checksum);
}

uint64_t DML_stream_in(LRL_RecordReader* lrl_record_in, int recordtype,
                       void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                       int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites, int volfmt, int serpar,
                       int broadcast_global, DML_Checksum* checksum) {
  if (recordtype == DML_GLOBAL) {
    return DML_global_in(lrl_record_in, put, count, size, word_size, arg, layout, volfmt, broadcast_global, checksum);
  }
  return DML_partition_in(lrl_record_in, put, count, size, word_size, arg, layout, sites, volfmt, serpar, checksum);
}

// --- Site by site ----------------------------------------------------------------------------------------------------

DML_RecordWriter* DML_partition_open_out(LRL_RecordWriter* lrl_record_out, size_t size, size_t, DML_Layout* layout,
                                         DML_SiteList* sites, int volfmt, int serpar, DML_Checksum* checksum) {
  const int io_node = DML_my_ionode(volfmt, serpar, layout);
  auto* const record = opened_record(size, &DML_RecordWriter::outbuf, checksum, io_node);
  if (record == nullptr) return nullptr;
  record->lrl_rw = lrl_record_out;
  record->buf = record->outbuf;
  record->max_dest_sites = sites->subset_io_sites;
  return record;
}

int DML_partition_sitedata_out(DML_RecordWriter* dml_record_out,
                               void (*get)(char* buf, size_t index, int count, void* arg), DML_SiteRank snd_coords,
                               int count, size_t size, int word_size, void* arg, DML_Layout* layout,
                               DML_SiteList* sites) {
  DML_RecordWriter& record = *dml_record_out;
  DML_SiteRank place = 0;
  if (!find_place(*sites, snd_coords, place)) return 1;
  const Home home(*layout, record.coords, snd_coords);
  if (home.node == layout->this_node) get(record.outbuf, home.index, count, arg);
  if (DML_route_bytes(record.outbuf, size, home.node, record.my_io_node) != 0) return 1;
  record.current_node = home.node;
  ++record.isite;
  if (layout->this_node != record.my_io_node) return 0;
  turn_words(reinterpret_cast<std::byte*>(record.outbuf), size, word_size);
  DML_checksum_accum(record.checksum, snd_coords, record.outbuf, size);
  char name[] = "DML_partition_sitedata_out";
  return DML_write_buf_seek(record.lrl_rw, place, record.outbuf, 1, size, &record.nbytes, name, layout->this_node);
}

int DML_partition_allsitedata_out(DML_RecordWriter* dml_record_out,
                                  void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                                  int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites) {
  return for_each_rank(*sites, [&](DML_SiteRank rank) {
    return DML_partition_sitedata_out(dml_record_out, get, rank, count, size, word_size, arg, layout, sites);
  });
}

uint64_t DML_partition_close_out(DML_RecordWriter* dml_record_out) {
  return closed_record(dml_record_out, &DML_RecordWriter::outbuf);
}

DML_RecordReader* DML_partition_open_in(LRL_RecordReader* lrl_record_in, size_t size, size_t, DML_Layout* layout,
                                        DML_SiteList* sites, int volfmt, int serpar, DML_Checksum* checksum) {
  const int io_node = DML_my_ionode(volfmt, serpar, layout);
  auto* const record = opened_record(size, &DML_RecordReader::inbuf, checksum, io_node);
  if (record == nullptr) return nullptr;
  record->lrl_rr = lrl_record_in;
  record->max_send_sites = sites->subset_io_sites;
  return record;
}

int DML_partition_sitedata_in(DML_RecordReader* dml_record_in,
                              void (*put)(char* buf, size_t index, int count, void* arg), DML_SiteRank rcv_coords,
                              int count, size_t size, int word_size, void* arg, DML_Layout* layout,
                              DML_SiteList* sites) {
  DML_RecordReader& record = *dml_record_in;
  DML_SiteRank place = 0;
  if (!find_place(*sites, rcv_coords, place)) return 1;
  const Home home(*layout, record.coords, rcv_coords);
  int code = 0;
  if (layout->this_node == record.my_io_node) {
    size_t taken = 0;
    char name[] = "DML_partition_sitedata_in";
    DML_seek_read_buf(record.lrl_rr, place, size, record.inbuf, &taken, 0, 1, 0, 1, &record.nbytes, name,
                      layout->this_node, &code);
    // Whoever waits for the site gets one all the same.
    if (code == 0) DML_checksum_accum(record.checksum, rcv_coords, record.inbuf, size);
  }
  if (DML_route_bytes(record.inbuf, size, record.my_io_node, home.node) != 0 || code != 0) return 1;
  record.current_node = home.node;
  record.rcv_coords = rcv_coords;
  ++record.isite;
  if (layout->this_node != home.node) return 0;
  turn_words(reinterpret_cast<std::byte*>(record.inbuf), size, word_size);
  put(record.inbuf, home.index, count, arg);
  return 0;
}

int DML_partition_allsitedata_in(DML_RecordReader* dml_record_in,
                                 void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t size,
                                 int word_size, void* arg, DML_Layout* layout, DML_SiteList* sites, int,
                                 DML_Checksum*) {
  return for_each_rank(*sites, [&](DML_SiteRank rank) {
    return DML_partition_sitedata_in(dml_record_in, put, rank, count, size, word_size, arg, layout, sites);
  });
}

uint64_t DML_partition_close_in(DML_RecordReader* dml_record_in) {
  return closed_record(dml_record_in, &DML_RecordReader::inbuf);
}

}  // extern "C"
