import { isMap, type JsonMap } from '../../core/is-map.js';
import { failFields } from '../../errors.js';

/**
 * The settings in a body that has them under a name. A body that has some beside the name instead is refused,
 * because it would change nothing. A form whose last setting was cleared arrives without the name.
 */
export function wrapped(body: JsonMap, name: string, settings: JsonMap): JsonMap {
  const given = body[name];
  if (isMap(given)) return given;
  if (!Object.keys(settings).some((key) => Object.hasOwn(body, key))) return {};
  return failFields({ [name]: { required: `Send the settings inside of ${name}.` } });
}
