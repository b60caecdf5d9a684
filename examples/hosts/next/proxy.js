// Runs before every page: clicks on links are counted here, also by browsers without script.
import { NextResponse } from 'next/server';
import { track } from './program.js';

export const proxy = (request) => track(request, () => NextResponse.next());
export const config = { matcher: ['/((?!_next/|api/|affiliate-admin|partners).*)'] };
