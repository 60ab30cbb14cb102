"""Calls the gateway as a service."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


def sign(method, url, body=b"", content_type="application/json", authority=None):
    """The headers to send. They work once."""
    parts = urllib.parse.urlsplit(url)
    # The host of PUBLIC_URL, without the scheme's own port.
    default_port = ":443" if parts.scheme == "https" else ":80"
    authority = authority or parts.netloc.lower().removesuffix(default_port)

    # A body's type and digest are sent and covered.
    headers = {}
    if body:
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers = {"content-type": content_type, "content-digest": f"sha-256=:{digest}:"}
    components = {
        "@method": method,
        "@authority": authority,
        "@path": parts.path or "/",
        "@query": f"?{parts.query}",
        **headers,
    }

    # What is covered, when, by which key, and a nonce.
    covered = " ".join(f'"{name}"' for name in components)
    nonce = secrets.token_urlsafe(16)
    params = f'({covered});created={int(time.time())};nonce="{nonce}";keyid="{os.environ["KEY_ID"]}";tag="auth-gateway"'

    # The text to sign: a line each, in that order, and no line feed at the end.
    lines = [f'"{name}": {value}' for name, value in components.items()]
    base = "\n".join([*lines, f'"@signature-params": {params}'])

    mac = hmac.new(os.environ["SECRET"].encode(), base.encode(), hashlib.sha256).digest()
    return {**headers, "signature-input": f"sig1={params}", "signature": f"sig1=:{base64.b64encode(mac).decode()}:"}


if not os.environ["SECRET"].startswith("aks_"):
    sys.exit("SECRET must be the secret of an API key, aks_…")
url = os.environ["GATEWAY_URL"].rstrip("/") + "/graphql"
query = "{ caller { callerType ... on ApiKeyCaller { keyId serviceName scopes rateLimit } } }"
body = json.dumps({"query": query}).encode()
headers = sign("POST", url, body, authority=os.environ.get("AUTHORITY"))
try:
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method="POST")) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as refusal:
    sys.exit(f"{refusal.code}: {refusal.read().decode()}")
