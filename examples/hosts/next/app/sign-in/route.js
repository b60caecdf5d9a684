import { signIn } from '../../people.js';

export async function POST(request) {
  const cookie = signIn(Object.fromEntries(await request.formData()));
  const headers = new Headers({ Location: cookie ? '/' : '/login' });
  if (cookie) headers.append('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}
