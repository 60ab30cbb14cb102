/**
 * The error of an export or import that is refused. Nothing has been written then; the message never quotes a row.
 * (Interface 9)
 */
export class ArchiveRefusal extends Error {
  override readonly name = 'ArchiveRefusal';
}

/** @throws {ArchiveRefusal} after a stop of the import */
export function refuseStopped({ aborted }: AbortSignal): void {
  if (aborted) throw new ArchiveRefusal('cancelled; nothing was imported');
}
