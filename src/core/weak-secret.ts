const LEAST_CHARACTERS = 8;

/** Secrets that are printed in documents and examples, as far as they are long enough to be accepted. */
const PRINTED = [
  'at least 32 characters, only while trying it out',
  'only for this example, at least 32 characters',
  'only while trying it out, 32 characters',
  'only while trying it out, 32 letters',
];

/** Why this secret is weak; null when it is not known to be. */
export function weaknessOf(secret: string): string | null {
  if (
    PRINTED.includes(secret.trim()) ||
    /change[ _-]?me|replace[ _-](?:me|this)|replaceme|your[ _-]secret/i.test(secret)
  )
    return 'is printed in an example, so it is public';
  if (new Set(secret).size < LEAST_CHARACTERS) return 'repeats a few characters, so it can be guessed';
  return isRepeated(secret) ? 'repeats itself, so it can be guessed' : null;
}

/** Is the whole text one short part again and again, such as `password` four times? */
function isRepeated(text: string): boolean {
  for (let size = 1; size <= 16; size += 1)
    if (
      text ===
      text
        .slice(0, size)
        .repeat(Math.ceil(text.length / size))
        .slice(0, text.length)
    )
      return true;
  return false;
}
