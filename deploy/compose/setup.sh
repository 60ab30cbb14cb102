#!/bin/sh
# compose.yaml, each start: brings the tables to this version. The first one makes the keyring and an administrator, whose
# password it prints. If there are users, a missing keyring is never replaced: nobody could log in with a new one.
set -eu
auth-gateway migrate up
users=$(auth-gateway user list --json)
[ "$users" = '[]' ] || exit 0
[ -e "$DATA_DIR/keyring.json" ] || auth-gateway keyring create --out "$DATA_DIR/keyring.json"
auth-gateway user create "$FIRST_ADMINISTRATOR" --role admin
