@Bean
JwtDecoder jwtDecoder(@Value("${ISSUER}") String issuer, @Value("${AUDIENCE}") String audience) {
  NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri(issuer + "/.well-known/jwks.json")
      .jwsAlgorithm(SignatureAlgorithm.ES256)
      .validateType(false) // the validator below checks at+jwt
      .build();
  decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
      .issuer(issuer).audience(audience).clientId("auth-gateway").build());
  return decoder;
}
