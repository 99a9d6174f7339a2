/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The record XML of gauge fields that the USQCD codes share. */
#ifndef QIOXML_USQCD_GAUGE_H
#define QIOXML_USQCD_GAUGE_H

#include <qio_string.h>
#include <qioxml_internal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The enclosing element. */
typedef struct {
  QIO_TagCharValue usqcdlatticeinfo_tags;
} QIO_USQCDLatticeInfoWrapper;

#define QIO_USQCD_LATTICE_INFO_WRAPPER \
  {                                    \
    { "usqcdInfo", "", "", 0 }         \
  }

#define QIO_USQCDLATTICEFORMATVERSION "1.0"

/* Average plaquette and link trace, both Re Tr / 3, as text. */
typedef struct {
  QIO_TagCharValue version;
  QIO_TagCharValue plaq;
  QIO_TagCharValue linktr;
  QIO_TagCharValue info;
} QIO_USQCDLatticeInfo;

#define QIO_USQCD_LATTICE_INFO_TEMPLATE                                                       \
  {                                                                                           \
    {"version", "", "", 0}, {"plaq", "", "", 0}, {"linktr", "", "", 0}, { "info", "", "", 0 } \
  }

/* Local. As in qioxml_private.h. */
void QIO_encode_usqcd_lattice_info(QIO_String* record_string, QIO_USQCDLatticeInfo* record_info);
int QIO_decode_usqcd_lattice_info(QIO_USQCDLatticeInfo* record_info, QIO_String* record_string);
int QIO_insert_usqcdlattice_version(QIO_USQCDLatticeInfo* record_info, char* version);
int QIO_insert_usqcdlattice_plaq(QIO_USQCDLatticeInfo* record_info, char* plaq);
int QIO_insert_usqcdlattice_linktr(QIO_USQCDLatticeInfo* record_info, char* linktr);
int QIO_insert_usqcdlattice_info(QIO_USQCDLatticeInfo* record_info, char* info);
int QIO_insert_usqcdlattice_tag_string(QIO_USQCDLatticeInfoWrapper* wrapper, char* recordinfo_tags);
char* QIO_get_usqcd_lattice_info_tag_string(QIO_USQCDLatticeInfoWrapper* wrapper);
char* QIO_get_plaq(QIO_USQCDLatticeInfo* record_info);
char* QIO_get_linktr(QIO_USQCDLatticeInfo* record_info);
char* QIO_get_info(QIO_USQCDLatticeInfo* record_info);
int QIO_defined_plaq(QIO_USQCDLatticeInfo* record_info);
int QIO_defined_linktr(QIO_USQCDLatticeInfo* record_info);
int QIO_defined_info(QIO_USQCDLatticeInfo* record_info);
QIO_USQCDLatticeInfo* QIO_create_usqcd_lattice_info(char* plaq, char* linktr, char* info);
void QIO_destroy_usqcd_lattice_info(QIO_USQCDLatticeInfo* record_info);

#ifdef __cplusplus
}
#endif

#endif
