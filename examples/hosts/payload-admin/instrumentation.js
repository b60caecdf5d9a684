/** Next calls it once, when the server starts: Payload is initialized, and the program starts with it. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const [{ getPayload }, { affiliatesOf }, { default: config }] = await Promise.all([
    import('payload'),
    import('affiliate-service/payload'),
    import('./payload.config.js'),
  ]);
  await affiliatesOf(await getPayload({ config })).service.ready();
}
