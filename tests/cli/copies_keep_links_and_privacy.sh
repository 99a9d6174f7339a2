# A folder with a link is copied whole, and what is made of a private file stays private.
umask 022
mkdir run
lq generate -q run/conf.1000.ildg --lattice 4x4x4x4 --sweeps 1
ln -s conf.1000.ildg run/latest.ildg
lq copy -r run there
readlink there/latest.ildg
lq verify -q there/latest.ildg
chmod 600 run/conf.1000.ildg
lq convert -q run/latest.ildg conf.scidac
lq squeeze -q run/conf.1000.ildg conf.sqz
lq unsqueeze -q conf.sqz conf.ildg
lq repartition -q conf.ildg conf.set --to t=block:2
lq extract -q conf.ildg ildg-format conf.xml
lq pack -q streams.sion conf.xml
lq pack -q conf.sion conf.xml conf.ildg
chmod 600 streams.sion
lq defrag -q streams.sion -o one.sion
cp --preserve=mode conf.ildg damaged.ildg
printf x | dd of=damaged.ildg bs=1 seek=$(grep -abo -m 1 ildg-binary-data damaged.ildg | cut -d : -f 1) conv=notrunc status=none
lq repair -q damaged.ildg -o conf.repaired.ildg > /dev/null 2>&1
lq extract -q conf.ildg ildg-binary-data data.raw
lq diagnose -q data.raw --lattice 4x4x4x4 --rewrite conf.rewritten.ildg > /dev/null 2>&1
lq index -q run --db conf.db
lq report -q --db conf.db -o conf.page.html
lq report -q run -o conf.memory.html
lq ildg document run/conf.1000.ildg -o conf.xml.qcdml 2> /dev/null
lq ildg lfn conf.ildg --set lfn://a/b -o conf.named.ildg
lq dump conf.ildg --box t=0 -o conf.npy > /dev/null
lq export -q --virtual conf.ildg -o conf.h5
lq protect -q conf.ildg
lq convert -q conf.ildg conf.copy.ildg --protect 10%
for file in conf.* one.sion; do stat -c '%a' "$file"; done | sort | uniq -c
