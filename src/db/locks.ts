/** Keys of the advisory locks under which instances take turns; no two alike. */
export const LOCKS = {
  migration: 7_241_093_518,
  /** So that "the last administrator" is exact */
  administration: 7_241_093_519,
} as const;
