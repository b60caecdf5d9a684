import { signIn } from '../../people.js';

export async function POST(request) {
  const { email, password } = await request.json();
  const session = signIn(email, password);
  if (!session) return new Response(null, { status: 401 });
  return Response.json(
    { signedIn: true },
    { headers: { 'Set-Cookie': `sid=${session}; Path=/; HttpOnly; SameSite=Lax` } },
  );
}
