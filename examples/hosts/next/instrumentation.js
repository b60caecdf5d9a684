// Next calls this when the server starts: the database is opened before the first visitor comes.
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { program } = await import('./program.js');
  await program().service.ready();
}
