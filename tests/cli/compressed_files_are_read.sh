# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The sample of the guide.
mkdir run
lq generate -q run/conf.1.ildg --lattice 2x2x2x2 --sweeps 1 --seed 3
tar cf ensemble.tar run
gzip -c run/conf.1.ildg > conf.ildg.gz
# [packed]
lq verify conf.ildg.gz
lq convert ensemble.tar/run/conf.1.ildg conf.nersc
# [/packed]
rm conf.nersc
# [pipe]
zcat conf.ildg.gz | lq convert - - --format nersc > conf.nersc
# [/pipe]
lq verify -q conf.nersc
# In a folder, too, if the name says that a lattice file is packed.
mv conf.ildg.gz run/conf.2.ildg.gz
gzip -c run/conf.1.ildg | head -c 500 > run/conf.3.ildg.gz
echo log | gzip -c > run/job.log.gz
lq verify -r run || echo "exit $?"
# Folders are compared, catalogued and converted with what is packed in them.
cp -r run plain
gunzip plain/conf.2.ildg.gz
lq diff run plain || echo "exit $?"
lq index -q run --db catalogue.db || echo "exit $?"
lq scrub --db catalogue.db > scrubbed || echo "exit $?"
sed "s,$PWD/,," scrubbed
rm run/job.log.gz
lq convert run converted --format nersc || echo "exit $?"
ls converted
