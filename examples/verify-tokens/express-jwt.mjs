import express from 'express';
import { expressjwt } from 'express-jwt';
import { expressJwtSecret } from 'jwks-rsa';

const { ISSUER: issuer, AUDIENCE: audience } = process.env;
const secret = expressJwtSecret({ jwksUri: `${issuer}/.well-known/jwks.json`, cache: true, rateLimit: true });

export const app = express();
app.use(expressjwt({ secret, issuer, audience, algorithms: ['ES256', 'RS256'] }));
app.get('/', (req, res) => res.json(req.auth));
