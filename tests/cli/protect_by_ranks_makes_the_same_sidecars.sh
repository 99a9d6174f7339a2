# needs: LQ_MPIRUN
lq generate conf.ildg --lattice 8x8x8x8 --sweeps 1 --hot-start --quiet
mkdir run
for i in 1 2 3; do lq generate run/conf.$i.ildg --lattice 4x4x4x4 --sweeps 1 --hot-start --seed $i --quiet; done
lq protect conf.ildg run --quiet
cp conf.ildg.lq-parity one
cp run/files.set.lq-parity set
for ranks in 2 3; do
  $LQ_MPIRUN $ranks lq-mpi protect conf.ildg run --overwrite
  cmp conf.ildg.lq-parity one
  cmp run/files.set.lq-parity set
  $LQ_MPIRUN $ranks lq-mpi protect conf.ildg run --check
done
damage conf.ildg 9000 0xff
$LQ_MPIRUN 2 lq-mpi verify conf.ildg --quiet > verdict 2> noise.of.mpirun || echo "exit code $?"
grep parity verdict
$LQ_MPIRUN 2 lq-mpi protect conf.ildg --check 2> noise.of.mpirun || echo "exit code $?"
