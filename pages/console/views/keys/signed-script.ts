/** `examples/services/signed.sh`: signs a request with curl and openssl, where the command line is not installed. */
import { TRIED_BY_CURL } from './documents.js';

const D = '$'; // in front of a brace it would be a substitution of TypeScript

export const SIGNED_SCRIPT = String.raw`#!/bin/sh
set -eu
case $SECRET in aks_*) ;; *) echo 'SECRET must be the secret of an API key, aks_…' >&2; exit 1 ;; esac

# The request: sign exactly what is sent.
method=POST
path=/graphql
query='?'
type=application/json
body='{"query":"${TRIED_BY_CURL}"}'

# The host of PUBLIC_URL, without the scheme's own port.
origin=${D}{GATEWAY_URL%/}
host=$(printf '%s' "${D}{origin#*://}" | tr '[:upper:]' '[:lower:]')
case $origin in
  https:*) host=${D}{host%:443} ;;
  *) host=${D}{host%:80} ;;
esac
authority=${D}{AUTHORITY:-$host}

digest="sha-256=:$(printf '%s' "$body" | openssl dgst -sha256 -binary | openssl base64 -A):"

# What is covered, when, by which key, and a nonce.
covered='"@method" "@authority" "@path" "@query" "content-type" "content-digest"'
nonce=$(openssl rand -hex 16)
params="($covered);created=$(date +%s);nonce=\"$nonce\";keyid=\"$KEY_ID\";tag=\"auth-gateway\""

# The text to sign: a line each, in that order, and no line feed at the end.
base=$(cat <<END
"@method": $method
"@authority": $authority
"@path": $path
"@query": $query
"content-type": $type
"content-digest": $digest
"@signature-params": $params
END
)

mac=$(printf '%s' "$base" | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A)

# Send it, without the ? of an empty query.
curl --silent --show-error --fail-with-body --request "$method" "$origin$path${D}{query#\?}" \
  --header "Content-Type: $type" \
  --header "Content-Digest: $digest" \
  --header "Signature-Input: sig1=$params" \
  --header "Signature: sig1=:$mac:" \
  --data-binary "$body"`;
