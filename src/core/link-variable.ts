const VARIABLE_MAX = 50;
const VARIABLE = /^[a-z](?:[_-]?[a-z])*$/i;
/** Parameters that links use for something else. */
const TAKEN = new Set(['utm_source', 'utm_medium', 'utm_campaign', 'visit_id', 'bot', 'no-track']);

/** Why a name cannot be the variable of links; null when it can. */
export function variableProblem(name: string): { readonly rule: string; readonly says: string } | null {
  if (name === '') return { rule: 'required', says: 'Use letters, - or _.' };
  if (name.length > VARIABLE_MAX) return { rule: 'max', says: `Use at most ${VARIABLE_MAX} characters.` };
  if (!VARIABLE.test(name))
    return {
      rule: 'format',
      says: 'Use letters from A to Z, - and _ only, starting with a letter, such as ref.',
    };
  return TAKEN.has(name.toLowerCase())
    ? { rule: 'taken', says: 'Links use this parameter for something else. Choose another name.' }
    : null;
}
