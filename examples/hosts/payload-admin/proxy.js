// Runs before every page: clicks on links are counted here, also by browsers without script, and console and portal
// are answered.
import { trackAffiliates } from 'affiliate-service/payload';
import { NextResponse } from 'next/server';

export const proxy = (request) => trackAffiliates(request, () => NextResponse.next());
export const config = { matcher: ['/((?!_next/|api/|admin(?!/affiliates)).*)'] };
