#!/usr/bin/env bash
# Migrations that break what docs/upgrade.md promises are planted in a clone; each must be found by its test. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q . "$folder/clone"
cd "$folder/clone"
npm ci --silent
export OLDER=1

plant() { # the end of its name; its statement
  local name=Migration20990101000001_$1
  git checkout -q .
  git clean -qfd migrations
  sed -i "/^};/i\  $name: () => import('./$name.js')," migrations/index.ts
  cat >"migrations/$name.ts" <<MIGRATION
import { Migration } from '@mikro-orm/migrations';
export class $name extends Migration {
  override up(): void {
    this.addSql('$2');
  }
}
MIGRATION
}

expect() { # green or red; the test that passes or fails; its file
  local is=green
  npm test -- "$3" >"$folder/log" 2>&1 || is=red
  local mark=✓
  [ "$1" = green ] || mark=✕
  if [ "$is" != "$1" ] || ! grep -q "$mark $2" "$folder/log"; then
    cat "$folder/log"
    echo "MUTANT: $3 should be $1 now: $2"
    exit 1
  fi
  echo "$is as it should be: $2"
}

plant emptied 'alter table api_keys drop column previous_sealed_secret, add column previous_sealed_secret text'
expect red 'an access token and keys are accepted, and revoked ones are not' test/upgrade/upgrade.test

rename='alter table api_keys rename column previous_sealed_secret to former_sealed_secret; alter table webhooks rename column previous_sealed_secret to former_sealed_secret'
adapt() { # this version itself works
  grep -rlE 'previous_sealed_secret|previousSealedSecret' src |
    xargs sed -i 's/previous_sealed_secret/former_sealed_secret/g; s/previousSealedSecret/formerSealedSecret/g'
}
plant renamed "$rename"
adapt
expect red 'an older program serves next to this one' test/upgrade/next-to-older

plant renamed_breaking "$rename"
adapt
expect green 'an older program refuses to start and to run commands after a breaking migration' test/upgrade/next-to-older
