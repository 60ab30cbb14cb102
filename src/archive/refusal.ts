/** Interface 9: why a database is not exported or not imported. */

/** Nothing was written then; the message is for a person and never quotes a row. */
export class ArchiveRefusal extends Error {
  override readonly name = 'ArchiveRefusal';
}

/** @throws {ArchiveRefusal} once a stop of the import is asked for */
export function refuseStopped({ aborted }: AbortSignal): void {
  if (aborted) throw new ArchiveRefusal('cancelled; nothing was imported');
}
