/** `doctor`: trusted documents. (Interface 24) */
import { TrustedDocumentsError } from '../graphql/trusted-documents-error.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

const MAX_NAMED = 5;

/** The schema is built if there are files. */
export async function checkTrustedDocuments({ config }: Surroundings): Promise<Finding[]> {
  const { files, only } = config.trustedDocuments;
  const seen = `TRUSTED_DOCUMENTS_ONLY is ${only}`;
  if (files.length === 0) return [ok('trusted_documents', `TRUSTED_DOCUMENTS is unset, and ${seen}`)];
  const { readMisfits } = await import('../graphql/document-fit.js');
  try {
    const { count, misfits } = await readMisfits(files);
    if (misfits.length === 0) return [ok('trusted_documents', `${numberOf(count, 'document')}, and ${seen}`)];
    const more = misfits.length > MAX_NAMED ? ` and ${misfits.length - MAX_NAMED} more` : '';
    const named = `${misfits.slice(0, MAX_NAMED).join(', ')}${more}`;
    const remedy = 'generate them again from the schema.graphql of this version, or remove them';
    return [warning('trusted_documents', `these do not fit the schema and are refused: ${named}`, remedy)];
  } catch (error) {
    if (!(error instanceof TrustedDocumentsError)) throw error;
    return [fault('trusted_documents', error.reason, error.remedy ?? 'correct the file')];
  }
}
