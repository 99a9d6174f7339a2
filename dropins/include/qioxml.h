/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * XML of SciDAC and ILDG files, and of the USQCD codes. */
#ifndef QIOXML_H
#define QIOXML_H

#include <qio_stdint.h>
#include <qio_string.h>
#include <qioxml_ildg_record.h>
#include <qioxml_internal.h>
#include <qioxml_private.h>
#include <qioxml_usqcd_gauge.h>
#include <qioxml_usqcd_ksprop.h>
#include <qioxml_usqcd_prop.h>

#define QIO_QUESTXML "?xml"
#define QIO_XMLINFO "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

/* File and record XML for files that have none. */
#define QIO_NONSCIDAC_FILE "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<NonSciDACFile/>\n"
#define QIO_NONSCIDAC_RECORD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<NonSciDACRecord/>\n"

#endif
