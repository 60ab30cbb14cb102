"""Receives webhooks: checks the signature, stores each event once, and answers at once."""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
DATABASE = os.environ.get("DATABASE", "events.db")
PORT = int(os.environ.get("PORT", "8080"))
TOLERANCE_SECONDS = 300
MAX_BYTES = 262_144


def is_signed(headers, body):
    """Whether the gateway has signed this body, at most five minutes ago."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    # Two signatures while the secret rotates.
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


def store(event, body):
    """False if it was stored before."""
    with closing(sqlite3.connect(DATABASE)) as database, database:
        row = (event["data"]["id"], event["data"]["sequence"], body.decode())
        return database.execute("insert or ignore into events values (?, ?, ?)", row).rowcount == 1


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            return self.answer(401)
        event = json.loads(body)
        is_new = store(event, body)
        print("new" if is_new else "double", event["type"], event["data"]["sequence"], flush=True)
        self.answer(204)  # it is stored, so the gateway need not wait for your work

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


with closing(sqlite3.connect(DATABASE)) as created, created:
    created.execute("create table if not exists events (id text primary key, sequence text, body text)")
ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
