/** Interface 9: why a database is not exported or not imported. */

/** Nothing was written then; the message is for a person and never quotes a row. */
export class ArchiveRefusal extends Error {
  override readonly name = 'ArchiveRefusal';
}
