import os

import jwt

issuer, audience = os.environ["ISSUER"], os.environ["AUDIENCE"]
keys = jwt.PyJWKClient(f"{issuer}/.well-known/jwks.json")


def verify(token):
    return jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token).key,
        algorithms=["EdDSA", "ES256", "RS256"],
        issuer=issuer,
        audience=audience,
        options={"require": ["exp", "iss", "aud"]},
    )
