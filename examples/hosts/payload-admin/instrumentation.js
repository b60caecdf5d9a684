/** Next calls it once, when the server starts: Payload is initialized, and with it the program. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const [{ getPayload }, { default: config }] = await Promise.all([
    import('payload'),
    import('./payload.config.js'),
  ]);
  await getPayload({ config });
}
