// Runs before every page: clicks on links are counted here, also by browsers without script.
import { NextResponse } from 'next/server';
import { answer } from './program.js';

export const proxy = (request) => answer(request, () => NextResponse.next());
export const config = { matcher: ['/((?!_next/|api/|admin|partners).*)'] };
