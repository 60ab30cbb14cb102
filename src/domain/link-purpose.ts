/** The purpose of a password link. (Interface 15) */
export const LINK_PURPOSES = ['invitation', 'reset'] as const;

export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/**
 * The address of a link. The page chooses its words by `for`, and decides nothing by it; a page of an operator may ignore it.
 * @param page SET_PASSWORD_URL, which has no fragment
 */
export function addressOfLink(page: string, token: string, purpose: LinkPurpose): string {
  const words = purpose === 'invitation' ? `${page.includes('?') ? '&' : '?'}for=invitation` : '';
  return `${page}${words}#token=${token}`;
}
