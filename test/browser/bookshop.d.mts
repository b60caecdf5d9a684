import type { CommerceProvider } from '../../adapters/commerce.js';

export function bookshop(orders: Readonly<Record<string, number>>): CommerceProvider;
