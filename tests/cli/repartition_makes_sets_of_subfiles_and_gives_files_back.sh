lq generate conf.ildg --lattice 4x4x4x8 --sweeps 1 --hot-start --quiet
mkdir one two
lq partition conf.ildg
lq repartition conf.ildg conf.set --to t=block:4 --folders one,two
head -7 conf.set
ls one two | wc -l
lq partition conf.set --access t=block:2,x=block:2 --parts 4 | grep -v element
lq partition conf.set --access t=block:2 --json | tr ',' '\n' | grep -E 'is_set|degree'
lq repartition conf.set other.set --to x=cyclic:2,y=block:2
lq repartition other.set other.set --to z=block:2 || echo "exit code $?"
lq repartition other.set other.set --to z=block:2 --overwrite
ls -1 | wc -l
lq repartition other.set back.ildg
cmp conf.ildg back.ildg
lq verify back.ildg
lq repartition other.set back.ildg --resume
lq repartition conf.ildg dry.set --to t=block:2 --dry-run
lq convert conf.ildg conf.scidac --parts 1x1x1x2 --quiet
lq partition conf.scidac.vol0000
lq repartition conf.scidac.vol0000 field.set --to t=block:4
lq verify --quiet field.set
lq diff field.set conf.ildg
lq repartition conf.ildg bad.set --to q=block:2 || echo "exit code $?"
damage conf.set 70 0x31
lq repartition conf.set again.ildg || echo "exit code $?"
