#!/bin/sh
# npm run test:image: builds the Dockerfile by buildah on bases that mmdebstrap makes, without Docker and its registry,
# prints the size, and runs test/deploy on the result. As root; minutes. Words are passed on: --build-arg ARGON2=native
set -eu
for program in buildah mmdebstrap npm; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program" && exit 0; }
done
folder=$(mktemp -d /var/tmp/auth-gateway-image-XXXXXX)
export CONTAINERS_STORAGE_CONF="$folder/storage.conf"
printf '[storage]\ndriver = "vfs"\nrunroot = "%s/run"\ngraphroot = "%s/graph"\n' "$folder" "$folder" >"$CONTAINERS_STORAGE_CONF"
trap 'buildah unmount --all >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT

# image NAME: of the folder, as it stands
image() {
  container=$(buildah from scratch)
  tar -C "$folder/base" -c . | tar -C "$(buildah mount "$container")" -x
  buildah commit -q --rm "$container" "$1" >/dev/null
}
echo '-- the bases'
sh scripts/image-base.sh "$(dpkg --print-architecture)" "$folder/base.tar" ${PACKAGES:-}
mkdir "$folder/base" && tar -C "$folder/base" -xf "$folder/base.tar"
image localhost/gateway-base
# Of this machine: what npm is, and whom it trusts.
node=$(readlink -f "$(which -a node | tail -1)")
for path in "$node" "$(dirname "$(dirname "$node")")/lib/node_modules/npm" /etc/ssl/certs/ca-certificates.crt; do
  mkdir -p "$folder/base$(dirname "$path")" && cp -r "$path" "$folder/base$path"
done
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$folder/base$(dirname "$node")/npm"
image localhost/gateway-build

echo '-- the image'
cat /etc/npmrc "$HOME/.npmrc" >"$folder/npmrc" 2>/dev/null || true
npm run --silent build # the tests compare the revision with that of the checkout
buildah build --isolation chroot --format docker --network host --secret "id=npmrc,src=$folder/npmrc" \
  --build-arg "REVISION=$(cat dist/program/revision)" \
  --build-arg NODE_IMAGE=localhost/gateway-build --build-arg BASE_IMAGE=localhost/gateway-base "$@" -t localhost/auth-gateway . >"$folder/build.log" 2>&1 ||
  { tail -30 "$folder/build.log" && exit 1; }
buildah images --format '{{.Name}} {{.Size}}'

echo '-- the tests, on it'
IMAGE_ROOT=$(buildah mount "$(buildah from localhost/auth-gateway)") npm test -- test/deploy/image test/deploy/compose
