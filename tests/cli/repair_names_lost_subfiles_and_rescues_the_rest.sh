lq generate conf.ildg --lattice 4x4x4x8 --sweeps 1 --hot-start --quiet
lq repartition conf.ildg conf.set --to t=block:4 --quiet
lq repair conf.set
echo rest > .conf.set.lq-copied
lq repair --dry-run conf.set
lq repair conf.set
ls -A | wc -l
rm conf.set.*.0002
lq repair conf.set || echo "exit code $?"
lq repair conf.set -o rescued.ildg || echo "exit code $?"
lq verify rescued.ildg 2> /dev/null | grep slices
