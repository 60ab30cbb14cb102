/** Where a request came from, for records (Spec 2.6) and audit events (Spec 6). */
export interface RequestOrigin {
  ipAddress: string;
  /** The User-Agent header, at most 512 characters (Spec 2.6); empty if there was none. */
  userAgent: string;
}
