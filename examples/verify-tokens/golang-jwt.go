package main

import (
	"errors"
	"log"
	"os"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

var issuer, audience = os.Getenv("ISSUER"), os.Getenv("AUDIENCE")
var keys, err = keyfunc.NewDefault([]string{issuer + "/.well-known/jwks.json"}) // refreshes them itself

func init() {
	if err != nil {
		log.Fatal(err)
	}
}

func verify(token string) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	parsed, err := jwt.ParseWithClaims(token, claims, keys.Keyfunc,
		jwt.WithValidMethods([]string{"EdDSA", "ES256", "RS256"}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience), jwt.WithExpirationRequired())
	if err == nil && parsed.Header["typ"] != "at+jwt" {
		err = errors.New("not an access token")
	}
	return claims, err
}
