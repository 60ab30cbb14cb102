/** What users are told by mail, by kind: the values of `MAIL_NOTICES`. (Interface 21) */
export const NOTICE_KINDS = [
  'new_login',
  'account_locked',
  'token_theft',
  'password_changed',
  'email_changed',
  'role_changed',
  'factor_added',
  'factor_removed',
  'factors_reset',
  'recovery_code_used',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];
