export XDG_STATE_HOME=$PWD/state
lq generate conf.ildg --lattice 4x4x4x8 --sweeps 0 -q
lq copy conf.ildg there/
cmp conf.ildg there/conf.ildg
lq copy conf.ildg there/ || echo "exit $?"
lq copy --resume conf.ildg there/
lq copy there other || echo "exit $?"
lq copy -r there other/ --verify
cmp conf.ildg other/there/conf.ildg
lq copy --status
lq copy conf.ildg far/ --background
for i in $(seq 100); do lq copy --status | grep -q done && break; sleep 0.1; done
lq copy --status
cmp conf.ildg far/conf.ildg
lq copy conf.ildg || echo "exit $?"
lq copy conf.ildg tape:x || echo "exit $?"
