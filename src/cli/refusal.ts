import { ExplainedError } from '../platform/explained.js';

/** The command itself refuses, or reports a refusal. */
export class CliRefusal extends ExplainedError {
  override readonly name = 'CliRefusal';
}
