/** Where a request came from, as records (Spec 2.6) and audit events (Spec 6) have it. */
export interface Client {
  ipAddress: string;
  /** The User-Agent header, at most 512 characters (Spec 2.6); empty where there was none. */
  userAgent: string;
}
