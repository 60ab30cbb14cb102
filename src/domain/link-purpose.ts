/** Interface 15: what a password link is for. */
export const LINK_PURPOSES = ['invitation', 'reset'] as const;

export type LinkPurpose = (typeof LINK_PURPOSES)[number];
