/** In development: `GET /openapi.json`, the document of this gateway. */
import type { Express } from 'express';
import type { Deps } from '../../services.js';
import { addReadOnly } from '../errors.js';
import { compressText, sendPage } from '../static-page.js';

export function addOpenApiRoute(app: Express, { config }: Deps<'config'>): void {
  const compressed = async (): Promise<Buffer> => {
    const { openApiDocument } = await import('../openapi/document.js'); // which production never loads
    return compressText(JSON.stringify(openApiDocument(config.publicUrl)));
  };
  addReadOnly(app, '/openapi.json', sendPage({ type: 'json', compressed }));
}
