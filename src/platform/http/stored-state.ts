import type { CallContext } from '../call-context.js';
import { fail } from '../../errors.js';
import type { Call, Route } from './define-route.js';
import type { RouterNeeds } from './deps.js';

const TAGS_MAX = 2000;

/**
 * Protects settings that two administrators may save at the same time. The response has an `ETag`, and a
 * write with `If-Match` succeeds only while the settings are those the caller has read; otherwise it fails
 * with 412 `settings_changed`. Without the header the last write wins. The comparison is repeated under the
 * lock of the write.
 */
export async function withStoredState<A extends RouterNeeds>(
  app: A,
  {
    route,
    call,
    context,
  }: { readonly route: Route<A>; readonly call: Call<A>; readonly context: CallContext },
  work: () => Promise<unknown>,
): Promise<unknown> {
  const names = typeof route.settings === 'function' ? route.settings(call) : route.settings;
  if (names === undefined) return work();
  const response = context.access === 'read' ? await work() : await guarded(app, { names, call }, work);
  call.request.response.setHeader('ETag', await app.settings.tag(names));
  return response;
}

async function guarded(
  app: RouterNeeds,
  { names, call }: { readonly names: readonly string[]; readonly call: Call },
  work: () => Promise<unknown>,
): Promise<unknown> {
  const wanted = tagsOf(call.request.header('if-match'));
  if (wanted === null) return work();
  const check = (tag: string): void => {
    if (!wanted.includes(tag)) fail('settings_changed');
  };
  check(await app.settings.tag(names));
  return app.context.run({ ...app.context.current(), precondition: { options: names, check } }, work);
}

/** The tags of the header; null when every state is accepted. A weak tag never matches. */
function tagsOf(header: string | undefined): readonly string[] | null {
  if (header === undefined || header.trim() === '*') return null;
  return header
    .slice(0, TAGS_MAX)
    .split(',')
    .map((tag) => tag.trim());
}
