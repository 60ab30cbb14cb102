"""A service without a proxy: it asks the gateway who is calling."""

import base64
import hashlib
import http.client
import http.server
import json
import os
import re
import urllib.parse

GATEWAY = urllib.parse.urlsplit(os.environ["GATEWAY_URL"])
ORIGIN = os.environ["ORIGIN"]  # of this service; never from the Host of a request
RULE = "caller=user,api_key,cron"
SENT = ["authorization", "x-internal-key", "signature", "signature-input", "content-type", "content-digest"]
SENT += ["x-request-id", "traceparent", "tracestate"]
UNAVAILABLE = 503, {"Retry-After": "5"}, b""


def who_is_calling(method, target, fields, body):
    """The claims of the caller and None, or None and the answer to send. `fields` are pairs of name and value."""
    is_https = GATEWAY.scheme == "https"
    connection = (http.client.HTTPSConnection if is_https else http.client.HTTPConnection)(GATEWAY.netloc, timeout=5)
    scheme, host = ORIGIN.split("://")
    try:
        connection.putrequest("GET", f"/authz/forward-auth/{RULE}")
        for name, value in fields:
            if name.lower() in SENT or re.match("x[-_.]auth[-_.]", name, re.I):
                connection.putheader(name, value.encode("latin-1"))
        connection.putheader("X-Forwarded-Method", method)
        connection.putheader("X-Forwarded-Proto", scheme)
        connection.putheader("X-Forwarded-Host", host)
        connection.putheader("X-Forwarded-Uri", target)
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read()
    except (OSError, ValueError, http.client.HTTPException):
        return None, UNAVAILABLE
    finally:
        connection.close()

    if answer.status in (400, 404) or b'_not_listed"' in text:
        raise RuntimeError(f"the gateway or this service is set up wrongly: {text.decode()}")
    if answer.status in (401, 403, 429, 503):
        passed_on = ["Content-Type", "WWW-Authenticate", "Accept-Signature", "Retry-After"]
        return None, (answer.status, {name: answer.headers[name] for name in passed_on if name in answer.headers}, text)
    assertion = answer.headers.get("X-Auth-Assertion", "-")
    if answer.status != 200 or assertion.count(".") != 2:
        return None, UNAVAILABLE
    claims = json.loads(base64.urlsafe_b64decode(assertion.split(".")[1] + "=="))
    asked = [answer.headers.get("X-Auth-Caller-Type"), ORIGIN, method, target]
    if asked != [claims["caller_type"], claims["aud"], claims["method"], claims["uri"]]:
        return None, UNAVAILABLE
    if not is_signed(claims, body):
        return None, (401, {"WWW-Authenticate": "Signature"}, b"The body is not the one that was signed\n")
    return claims, None


def is_signed(claims, body):
    if claims["body"] == "-":  # nobody has signed it: a user or a cron job calls
        return True
    if claims["body"] == "none":
        return body == b""
    digests = re.findall("(?:^|, )sha-(256|512)=:([A-Za-z0-9+/=]*):", claims["content_digest"])
    computed = [base64.b64encode(hashlib.new(f"sha{bits}", body).digest()).decode() for bits, _ in digests]
    return computed != [] and computed == [digest for _, digest in digests]


class Service(http.server.BaseHTTPRequestHandler):
    def handle_any(self):
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdigit() or int(length) > 1_000_000:
            return self.answer(413, {"Connection": "close"}, b"")
        body = self.rfile.read(int(length))
        claims, refusal = who_is_calling(self.command, self.path, self.headers.items(), body)
        if refusal:
            return self.answer(*refusal)
        self.answer(200, {}, f"Hello {claims['caller_type']} {claims['sub']}\n".encode())

    do_GET = do_POST = do_PUT = do_DELETE = handle_any

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8083"))), Service).serve_forever()
