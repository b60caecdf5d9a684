import { AffiliateError, fail } from '../../errors.js';
import type { JsonMap } from '../../core/is-map.js';
import type { RegistrationField } from '../registration/types.js';
import type { Deps } from './deps.js';

/** The checked answers to these fields, and to no others, also when a filter of the host adds some. */
export async function customAnswers(
  app: Deps,
  fields: readonly RegistrationField[],
  submitted: JsonMap,
): Promise<JsonMap> {
  const given = fields.filter(({ name }) => Object.hasOwn(submitted, name));
  try {
    const values = await app.registration.customValues(
      fields,
      Object.fromEntries(given.map(({ name }) => [name, submitted[name]])),
    );
    return Object.fromEntries(
      Object.entries(values).filter(([name]) => fields.some((field) => field.name === name)),
    );
  } catch (error) {
    if (error instanceof AffiliateError && error.code === 'hook_aborted')
      fail('custom_field_invalid', { message: error.message, cause: error });
    throw error;
  }
}
