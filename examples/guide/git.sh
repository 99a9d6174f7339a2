#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of docs/guide/git-and-dvc.md; `lq` must be on the path. Skipped without git.
set -e
command -v git > /dev/null || { echo "git is not there"; exit 0; }
HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
export HOME GIT_CONFIG_NOSYSTEM GIT_PAGER
mkdir -p home runs
cd runs
git init -q .
git config user.name "A Student"
git config user.email student@example.org
lq generate conf.ildg --lattice 4x4x4x8 --sweeps 2 --seed 1 -q --overwrite

# [textconv]
git config diff.limequat.textconv "lq info"          # git shows this instead of "Binary files differ"
git config diff.limequat.cachetextconv true
printf '%s\n' '*.ildg diff=limequat' '*.lime diff=limequat' '*.h5 diff=limequat' > .gitattributes
# [/textconv]
git add -A
git commit -q -m "first $(date +%s%N)" --allow-empty
lq generate conf.ildg --lattice 4x4x4x8 --sweeps 2 --seed 2 -q --overwrite
# [diff]
git diff conf.ildg                                   # format, lattice, plaquette, checksum: which of them changed
git show HEAD:conf.ildg > before.ildg
lq diff before.ildg conf.ildg || true                # and the numbers themselves; 1: they differ
# [/diff]
git diff conf.ildg > ../diff.txt
grep -q '^[-+].*checksum' ../diff.txt
grep -q '^[-+].*plaquette' ../diff.txt

# [same]
lq convert conf.ildg a.h5 --no-time-stamps --overwrite -q    # equal fields, equal bytes: equal hashes for DVC and git-lfs
lq convert conf.ildg b.h5 --no-time-stamps --overwrite -q
cmp a.h5 b.h5
# [/same]
# [hook]
cat > .git/hooks/pre-commit << 'END'
#!/bin/sh
# Refuses to commit damaged configurations.
for file in $(git diff --cached --name-only --diff-filter=AM -- '*.ildg' '*.lime' '*.h5'); do
  lq verify -q "$file" || exit 1
done
END
chmod +x .git/hooks/pre-commit
# [/hook]
git add -A
git commit -q -m "sound"
head -c 20000 conf.ildg > damaged.ildg
git add -A
if git commit -q -m "damaged" 2> ../refused.txt; then echo "a damaged file was committed"; exit 1; fi
git rm -q -f --cached damaged.ildg
rm damaged.ildg
