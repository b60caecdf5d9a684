import type { HostMail } from 'affiliate-service/adapters';
import type { Sqlite } from './open.js';

export interface StoredMail {
  readonly id: number;
  readonly at: string;
  readonly recipient: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

const KEPT = 300;

/** The mails this example would have sent. */
export class Mails {
  constructor(private readonly db: Sqlite) {}

  keep({ to, subject, html, text }: HostMail, at: Date = new Date()): void {
    const { lastInsertRowid } = this.db
      .prepare('INSERT INTO mails (at, recipient, subject, html, text) VALUES (?, ?, ?, ?, ?)')
      .run(at.toISOString(), to, subject, html, text);
    this.db.prepare('DELETE FROM mails WHERE id <= ?').run(Number(lastInsertRowid) - KEPT);
  }

  newest(limit: number): StoredMail[] {
    return this.db.prepare<[number], StoredMail>('SELECT * FROM mails ORDER BY id DESC LIMIT ?').all(limit);
  }

  find(id: number): StoredMail | null {
    return this.db.prepare<[number], StoredMail>('SELECT * FROM mails WHERE id = ?').get(id) ?? null;
  }
}
