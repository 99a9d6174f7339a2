# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The sum is that of the program cksum.
make-config conf.lime
lq ildg lfn conf.lime
lq ildg document conf.lime --metadata markovChainURI=mc://test/run --metadata series=1 -o conf.xml
at=$(lq ls --json conf.lime | json 'o["fields"][0]["offset"]')
tail -c +$((at + 1)) conf.lime | head -c $((32 * 576)) | cksum > sum
[ "$(grep -oP '(?<=<crcCheckSum>)[0-9]+' conf.xml)" = "$(cut -d' ' -f1 sum)" ]
grep -q "of the file $(cksum < conf.lime | cut -d' ' -f1)" conf.xml
lq ildg check conf.lime --document conf.xml
sed -i 's/<series>1/<series>1<!-- a comment --><\/series><series>2/' conf.xml
lq ildg check conf.lime --document conf.xml || echo "exit $?"
lq ildg lfn conf.lime --set lfn://test/other/7 -o named.lime
lq ildg lfn --json named.lime | json '[o["lfn"], o["findings"]]'
lq diff conf.lime named.lime
