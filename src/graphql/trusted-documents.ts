/** Trusted documents: which text a request runs, by its id or its own hash. (Interface 24) */
import type { CallerType } from '../callers/caller.js';
import { CALLER_TYPES } from '../callers/kinds.js';
import { watchFiles } from '../platform/watched-file.js';
import type { Deps } from '../services.js';
import { digestIn, digestOf, OWN_DOCUMENTS, readDocuments, type TrustedTexts } from './documents-file.js';
import { errorOf, status } from './errors.js';

export interface TrustedDocuments {
  /**
   * @param body as it was sent; what is malformed but for its document is left to Apollo
   * @returns the body to run, with the trusted text in place of what was sent
   * @throws {GraphQLError} `document_not_trusted`
   */
  exchange(body: unknown, caller: CallerType): unknown;
  has(digest: string): boolean;
  /** @param listener gets the documents of the files now, and whenever they are read again */
  onRead(listener: (documents: TrustedTexts) => void): void;
  /** Reads the files now, and logs the result. If one is refused, nothing changes. */
  reload(): Promise<void>;
  close(): void;
}

const NO_SUCH_ID = 'No trusted document has this id';
const NOT_TRUSTED = 'The document is not trusted: only trusted documents run, by their id or exactly their text';

/** @throws {TrustedDocumentsError} */
export async function openTrustedDocuments({
  config,
  log,
  metrics,
}: Deps<'config' | 'log' | 'metrics'>): Promise<TrustedDocuments> {
  const { files, only } = config.trustedDocuments;
  const isUsed = files.length > 0 || only !== 'off';
  const own: TrustedTexts =
    isUsed || config.console
      ? await readDocuments([OWN_DOCUMENTS]).catch((error: unknown) => {
          if (only !== 'off') throw error;
          return new Map(); // a checkout without a build, which has no console either
        })
      : new Map();
  let listener: (documents: TrustedTexts) => void = () => undefined;
  const watched = await watchFiles(files, () => readDocuments(files), {
    taken: (documents) => {
      log.info({ documents: documents.size }, 'trusted documents read again');
      listener(documents);
    },
    refused: (reason) => log.error({ reason }, 'changed trusted documents refused; those in use stay'),
  });
  if (isUsed) for (const caller of CALLER_TYPES) metrics.untrustedDocuments.inc({ caller }, 0);

  const textOf = (digest = ''): string | undefined => (watched.current().get(digest) ?? own.get(digest))?.text;
  return {
    exchange: (body, caller) => {
      const sent = objectIn(body);
      const { documentId = null, query } = sent;
      const { persistedQuery = null, ...extensions } = objectIn(sent['extensions']);
      const hasId = documentId !== null || persistedQuery !== null;
      if (!hasId && only !== 'all' && only !== caller) return body;
      const text = textOf(
        hasId ? askedFor(documentId, persistedQuery) : typeof query === 'string' ? digestOf(query) : '',
      );
      // The text that is stored, not the one that was sent: two may have the same bytes, as those with lone surrogates.
      if (text !== undefined) return { ...sent, query: text, ...(persistedQuery !== null && { extensions }) };
      // Apollo answers that it has no automatic persisted queries, and clients send the text.
      if (!isUsed && documentId === null) return body;
      metrics.untrustedDocuments.inc({ caller });
      throw errorOf('document_not_trusted', hasId ? NO_SUCH_ID : NOT_TRUSTED, status(400));
    },
    onRead: (given) => {
      listener = given;
      listener(watched.current());
    },
    has: (digest) => textOf(digest) !== undefined,
    reload: watched.reload,
    close: watched.close,
  };
}

function askedFor(documentId: unknown, persistedQuery: unknown): string | undefined {
  const { version, sha256Hash } = objectIn(persistedQuery);
  const digests = [
    ...(documentId === null ? [] : [digestIn(documentId)]),
    ...(persistedQuery === null ? [] : [version === 1 ? digestIn(sha256Hash) : undefined]),
  ];
  return new Set(digests).size === 1 ? digests[0] : undefined;
}

/** @returns an empty object in place of what is none */
function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
