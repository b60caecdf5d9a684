/** `approvalAbove` in code is `approval_above` on the wire. */
export const wireName = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
export const codeName = (name: string): string =>
  name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
