const COLORS = ['#1d4ed8', '#0f766e', '#15803d', '#a16207', '#b45309', '#b91c1c', '#be185d', '#7e22ce'];

/**
 * A picture for those who have none, as the text of an SVG: the initials on a color that is always the same
 * for a name.
 */
export function initialsSvg(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const picked = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  const initials = picked
    .map((word = '?') => Array.from(word)[0] ?? '?')
    .join('')
    .toUpperCase();
  const sum = Array.from(name).reduce(
    (total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 65_521,
    7,
  );
  const color = COLORS[sum % COLORS.length] ?? COLORS[0];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" fill="${color}"/><text x="32" y="41" font-family="sans-serif" font-size="26" fill="#fff" text-anchor="middle">${initials}</text></svg>`;
}

/** The same as an address for `src`. */
export const initialsAvatar = (name: string): string =>
  `data:image/svg+xml,${encodeURIComponent(initialsSvg(name))}`;

/** The host's picture of a user, else the initials. */
export const avatarOf = (user: {
  readonly avatar: string;
  readonly full_name: string;
  readonly display_name: string;
}): string => user.avatar || initialsAvatar(user.full_name || user.display_name);
