import express from 'express';
import { auth } from 'express-oauth2-jwt-bearer';

const { ISSUER: issuerBaseURL, AUDIENCE: audience } = process.env;

export const app = express();
app.use(auth({ issuerBaseURL, audience, strict: true })); // strict: RFC 9068
app.get('/', (req, res) => res.json(req.auth.payload));
