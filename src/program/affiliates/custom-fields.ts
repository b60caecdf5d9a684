import { isMap, type JsonMap } from '../../core/is-map.js';
import { FieldCheck } from '../../errors.js';
import { readExtensionFields } from '../../records/extension-fields.js';
import type { Deps } from './deps.js';

/**
 * The answers and fields of an affiliate after a form that may set the fields of extensions. A name that no extension
 * has is refused, unless the value is the stored one: clients may send the whole record back.
 */
export function readCustomFields(app: Deps, given: unknown, stored: JsonMap): JsonMap {
  const fields = app.options.extensions.flatMap(({ affiliateFields = [] }) => affiliateFields);
  const form = isMap(given) ? given : {};
  const check = new FieldCheck();
  for (const [name, value] of Object.entries(form))
    if (!fields.some((field) => field.name === name) && !isSame(value, stored[name]))
      check.add(`custom_fields.${name}`, 'unknown', 'No extension has a field with this name.');
  const values = readExtensionFields(fields, { form, base: stored, check, prefix: 'custom_fields.' });
  check.throwIfAny();
  return { ...stored, ...values };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
