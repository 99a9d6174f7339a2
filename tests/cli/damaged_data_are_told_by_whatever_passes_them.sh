# Whatever has all bytes of a file in its hands says that they are not what the file's checksum states.
lq generate -q conf.ildg --lattice 4x4x4x8 --sweeps 1 --seed 3
cp conf.ildg bad.ildg
damage bad.ildg 100000 0x01
lq copy bad.ildg copied.ildg || echo "copy: exit code $?"
cmp bad.ildg copied.ildg
lq repartition bad.ildg bad.set --to t=block:2 || echo "repartition: exit code $?"
lq squeeze bad.ildg bad.sqz || echo "squeeze: exit code $?"
lq ildg check bad.ildg >checked || echo "ildg check: exit code $?"
grep -c "checksum" checked
lq copy conf.ildg fine.ildg
lq squeeze conf.ildg conf.ildg --overwrite
lq unsqueeze conf.ildg conf.ildg --overwrite
cmp conf.ildg fine.ildg
ls -- *.ildg *.set
