/** The error of a file in `TRUSTED_DOCUMENTS` that is refused. It never repeats a document. (Interface 24) */
import { ExplainedError } from '../platform/explained.js';

export class TrustedDocumentsError extends ExplainedError {
  override readonly name = 'TrustedDocumentsError';

  constructor(file: string, fault: string, remedy = 'write it again by the tool that made it') {
    super(`TRUSTED_DOCUMENTS: ${file} ${fault}`, remedy);
  }
}
