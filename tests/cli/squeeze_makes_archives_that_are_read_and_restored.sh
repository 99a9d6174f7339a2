lq generate conf.ildg --lattice 4x4x4x4 --sweeps 1 --hot-start --quiet
lq squeeze conf.ildg conf.sqz
lq ls conf.sqz
lq verify conf.sqz
lq diff conf.ildg conf.sqz
lq unsqueeze conf.sqz back.ildg
cmp conf.ildg back.ildg
lq convert conf.ildg direct.sqz
lq unsqueeze --json direct.sqz direct.ildg | tr ',' '\n' | grep original
lq squeeze conf.sqz again.sqz || echo "exit code $?"
lq unsqueeze conf.ildg again.ildg || echo "exit code $?"
damage conf.sqz 9000 0xff
lq verify conf.sqz || echo "exit code $?"
lq unsqueeze conf.sqz again.ildg || echo "exit code $?"
lq unsqueeze "$LQ_SOURCE/tests/golden/good/squeezed/conf.sqz" golden.ildg
cksum golden.ildg
ls
lq squeeze conf.ildg conf.sqz --overwrite --quiet
damage conf.sqz 500 0xff
lq verify conf.sqz || echo "exit code $?"
