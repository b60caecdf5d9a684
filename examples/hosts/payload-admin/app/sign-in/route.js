// The sign-in of people who have no place in the admin.
import { login } from '@payloadcms/next/auth';
import config from '../../payload.config.js';

export async function POST(request) {
  const { email, password } = Object.fromEntries(await request.formData());
  const to = await login({ collection: 'users', config, email, password }).then(
    () => '/partners/',
    () => '/login',
  );
  return new Response(null, { status: 303, headers: { Location: to } });
}
