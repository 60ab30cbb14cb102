#!/bin/sh
# container.sh ROOT USER WORKDIR [MOUNT…] -- COMMAND: runs it as a container runtime does, in new namespaces of mounts and
# processes: ROOT is its file system, with the /usr of this machine where it has none; USER has no capability. Writable are the mounts, unless
# WRITABLE=1. A mount is FROM:TO[:ro] or tmpfs:TO[:OPTIONS].
set -eu
root=$1 user=$2 workdir=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
if [ ! -e usr/bin/env ]; then
  mount --rbind -o ro /usr usr
  mount --bind local usr/local
fi
mount -t proc proc proc
mount --rbind /dev dev
late=
while [ "$1" != -- ]; do
  from=${1%%:*} rest=${1#*:}
  to=${rest%%:*} options=${rest#*:}
  [ "$options" != "$rest" ] || options=
  if [ "$from" = tmpfs ]; then
    mkdir -p ".$to"
    mount -t tmpfs ${options:+-o "$options"} tmpfs ".$to"
  else
    if [ -d "$from" ]; then mkdir -p ".$to"; else mkdir -p ".${to%/*}" && [ -e ".$to" ] || : >".$to"; fi
    # A volume that is empty gets what stands there in the image, which here is its owner and mode.
    [ ! -d "$from" ] || [ -n "$(ls -A "$from")" ] || { chown --reference=".$to" "$from" && chmod --reference=".$to" "$from"; }
    mount --bind "$from" ".$to"
    [ "$options" != ro ] || mount -o remount,bind,ro ".$to"
  fi
  shift
done
shift
[ -n "${WRITABLE:-}" ] || mount -o remount,bind,ro "$root"
without=--bounding-set=-all
[ "$user" != 0:0 ] || without=
exec chroot "$root" /usr/bin/setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups --inh-caps=-all $without \
  --no-new-privs --pdeathsig=KILL /usr/bin/env -i --chdir="$workdir" "$@"
