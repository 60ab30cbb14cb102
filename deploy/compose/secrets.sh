#!/bin/sh
# compose.yaml, first start: makes the password of the database. Only containers that need it have the volume.
set -eu
cd /run/secrets
[ ! -e database_url ] || exit 0
password=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
printf %s "$password" >database_password
printf 'postgresql://gateway:%s@postgres:5432/gateway' "$password" >database_url.new
mv database_url.new database_url
