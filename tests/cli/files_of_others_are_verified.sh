# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_SHARED_DIR
# A file by Chroma and QIO; kept outside of this repository.
cp "$LQ_SHARED_DIR/data/weak_field.lime" .
lq info weak_field.lime
lq verify weak_field.lime
lq validate weak_field.lime
lq convert -q weak_field.lime copy.ildg
cmp <(lq cat weak_field.lime ildg-binary-data) <(lq cat copy.ildg ildg-binary-data)
lq diff -q weak_field.lime copy.ildg
