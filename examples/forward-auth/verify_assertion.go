package main

import (
	"errors"
	"log"
	"os"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

var issuer, audience = os.Getenv("ISSUER"), os.Getenv("ORIGIN")
var keys, err = keyfunc.NewDefault([]string{issuer + "/.well-known/jwks.json"}) // refreshes them itself

func init() {
	if err != nil {
		log.Fatal(err)
	}
}

// verify returns who sent the request with this method and target.
func verify(assertion, method, target string) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	parsed, err := jwt.ParseWithClaims(assertion, claims, keys.Keyfunc,
		jwt.WithValidMethods([]string{"EdDSA", "ES256", "RS256"}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience), jwt.WithExpirationRequired())
	if err == nil && parsed.Header["typ"] != "caller+jwt" {
		err = errors.New("not an assertion")
	}
	if err == nil && (claims["method"] != method || claims["uri"] != target) {
		err = errors.New("the assertion is of another request")
	}
	return claims, err
}
