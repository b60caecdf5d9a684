const DOTLESS = new Set(['gmail.com', 'googlemail.com']);

/** The mailbox behind an address: lower case, no plus-tag, and no dots where the provider ignores them. */
export function mailbox(email: string | null | undefined): string | null {
  const [, local = '', domain = ''] = /^(.+)@([^@]+)$/u.exec((email ?? '').trim().toLowerCase()) ?? [];
  if (local === '') return null;
  const untagged = local.replace(/\+.*$/u, '');
  const box = DOTLESS.has(domain) ? untagged.replaceAll('.', '') : untagged;
  return `${box}@${domain === 'googlemail.com' ? 'gmail.com' : domain}`;
}
