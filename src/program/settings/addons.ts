import type { HostAddon, HostUser } from '../../../adapters/host.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';

interface Installation {
  readonly success: boolean;
  readonly message: string;
}

/** The addons that the host offers; none if the adapter has no such part (docs/settings.md §4). */
export async function listAddons(app: Deps): Promise<Readonly<Record<string, HostAddon>>> {
  return (await app.host.addons?.list()) ?? {};
}

/**
 * Installs them one after the other; a failure is reported in its entry, and the others are installed. Only
 * keys from the host's own list are passed on.
 */
export async function installAddons(
  app: Deps,
  user: HostUser,
  input: unknown,
): Promise<Record<string, Installation>> {
  const keys = [
    ...new Set(
      ([] as unknown[])
        .concat(input ?? [])
        .map(String)
        .filter((key) => key !== ''),
    ),
  ];
  if (keys.length === 0) fail('no_addon_keys');
  const { addons } = app.host;
  if (!addons) return fail('addons_unsupported');
  if (!(await addons.canInstall(user))) fail('cannot_install');
  const known = await addons.list();
  const results: [string, Installation][] = [];
  for (const key of keys)
    results.push([
      key,
      Object.hasOwn(known, key) ? await install(app, key) : { success: false, message: 'Unknown addon' },
    ]);
  return Object.fromEntries(results);
}

async function install(app: Deps, key: string): Promise<Installation> {
  try {
    await app.host.addons?.install(key);
    return { success: true, message: 'Installed' };
  } catch (error) {
    app.log.warn('an addon could not be installed', { key, error });
    return { success: false, message: 'The addon could not be installed' };
  }
}
