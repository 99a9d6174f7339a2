lq generate conf.0.ildg --lattice 4x4x4x4 --sweeps 1 --hot-start --quiet
cp conf.0.ildg keep.0
lq protect conf.0.ildg
lq protect conf.0.ildg || echo "exit code $?"
lq protect --check conf.0.ildg
lq verify conf.0.ildg
damage conf.0.ildg 9000 0xff
lq verify conf.0.ildg || echo "exit code $?"
lq protect --check conf.0.ildg || echo "exit code $?"
lq repair conf.0.ildg || echo "exit code $?"
lq repair conf.0.ildg -o back.ildg
cmp back.ildg keep.0
mkdir run
for i in 1 2 3 4; do lq generate run/conf.$i.ildg --lattice 4x4x4x4 --sweeps 1 --hot-start --seed $i --quiet; done
cp run/conf.2.ildg keep.2
lq protect run
rm run/conf.2.ildg run/conf.3.ildg
lq protect --check run || echo "exit code $?"
lq repair run/conf.2.ildg
cmp run/conf.2.ildg keep.2
rm run/conf.2.ildg run/conf.1.ildg
lq repair run/conf.2.ildg || echo "exit code $?"
ls run
lq protect --parity 0% conf.0.ildg || echo "exit code $?"
