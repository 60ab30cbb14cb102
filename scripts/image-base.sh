#!/bin/sh
# image-base.sh ARCHITECTURE FILE [PACKAGE…]: a Debian 12 as small as the image needs, as a tar archive. The same bytes for the same
# SOURCE_DATE_EPOCH and the same packages of Debian's mirror. As root; for another processor it needs qemu-user-static.
set -eu
architecture=$1 file=$2
shift 2
included=usr-is-merged,libstdc++6
for package in "$@"; do included=$included,$package; done
# The licences stay, as Debian asks.
mmdebstrap --quiet --architectures="$architecture" --variant=essential --include="$included" \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$file" >"$file.log" 2>&1 ||
  { tail -30 "$file.log" >&2 && exit 1; }
