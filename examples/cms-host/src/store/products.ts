import type { Sqlite } from './open.js';

export interface Product {
  readonly id: number;
  readonly title: string;
  readonly summary: string;
  readonly category: string;
  readonly price_cents: number;
}

export class Products {
  constructor(private readonly db: Sqlite) {}

  all(): Product[] {
    return this.db.prepare<[], Product>('SELECT * FROM products ORDER BY id LIMIT 100').all();
  }

  find(id: number): Product | null {
    return this.db.prepare<[number], Product>('SELECT * FROM products WHERE id = ?').get(id) ?? null;
  }

  /** Percent off, or null for a code nobody knows. */
  couponPercent(code: string): number | null {
    return (
      this.db.prepare<[string], { percent: number }>('SELECT percent FROM coupons WHERE code = ?').get(code)
        ?.percent ?? null
    );
  }
}
