/** Reads and validates a body of JSON in UTF-8, once. Inside, types are true. (Interface 5) */
import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import type * as z from 'zod';
import { sendError } from './errors.js';
import { isJsonType } from './json-type.js';

const BODY_BYTES = 16 * 1024;

/** By its header (RFC 9112 section 6.3); browsers send a POST without a body with a length of 0. */
export function hasNoBody({ headers }: Request): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return encoding === undefined && length === '0';
}

/** Another content type is 415; without a body validation lists the missing fields. */
export const requireJson: RequestHandler = (req, res, next) => {
  if (hasNoBody(req) || isJsonType(req.get('content-type'))) next();
  else sendError(res, 'unsupported_media_type');
};

export const readJson: RequestHandler = express.json({
  limit: BODY_BYTES,
  inflate: false,
  strict: false, // any JSON value is accepted; validation says what is wrong
  type: () => true,
  verify: (_req, _res, body) => {
    if (!isUtf8(body)) throw Object.assign(new Error('The body is not in UTF-8'), { status: 400 });
  },
});

export interface FieldError {
  field: string;
  message: string;
}

/** The parsed body, or what is wrong with each field; a submitted value is never repeated. */
export function parseBody<Body>(
  schema: z.ZodType<Body, unknown>,
  body: unknown,
): { body: Body } | { errors: FieldError[] } {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return { body: parsed.data };
  return {
    errors: parsed.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message })),
  };
}
