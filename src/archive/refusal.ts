/** Interface 9: why an export or import is refused. Nothing was written then; the message never quotes a row. */
export class ArchiveRefusal extends Error {
  override readonly name = 'ArchiveRefusal';
}

/** @throws {ArchiveRefusal} after a stop of the import */
export function refuseStopped({ aborted }: AbortSignal): void {
  if (aborted) throw new ArchiveRefusal('cancelled; nothing was imported');
}
