"""Who sent a request, according to the X-Auth-Assertion that the proxy has added."""

import os

import jwt

issuer, audience = os.environ["ISSUER"], os.environ["ORIGIN"]
keys = jwt.PyJWKClient(f"{issuer}/.well-known/jwks.json")


def verify(assertion, method, target):
    """The claims. Raises unless it is of the gateway, for this service, and of this request."""
    claims = jwt.decode(
        assertion,
        keys.get_signing_key_from_jwt(assertion).key,
        algorithms=["EdDSA", "ES256", "RS256"],
        issuer=issuer,
        audience=audience,
        options={"require": ["exp", "iss", "aud"]},
    )
    if jwt.get_unverified_header(assertion).get("typ") != "caller+jwt":
        raise jwt.InvalidTokenError("not an assertion")
    if (claims["method"], claims["uri"]) != (method, target):
        raise jwt.InvalidTokenError("the assertion is of another request")
    return claims
