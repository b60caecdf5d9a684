import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CaptchaServer {
  readonly url: string;
  /** The fields of each check. */
  readonly asked: Readonly<Record<string, string>>[];
  /** What checks are answered with from now on. */
  answer(status: number, body: unknown): void;
  close(): Promise<void>;
}

/**
 * Checks answers like reCAPTCHA, hCaptcha and Turnstile, whose interfaces are one:
 * `right` passes once for the secret `s3cret`.
 */
export async function startCaptchaServer(more: object = {}): Promise<CaptchaServer> {
  const asked: Record<string, string>[] = [];
  const used = new Set<string>();
  let fixed: { status: number; body: unknown } | null = null;
  const verdictOf = ({ secret, response = '' }: Record<string, string>): object => {
    if (secret !== 's3cret') return { success: false, 'error-codes': ['invalid-input-secret'] };
    if (!response.startsWith('right')) return { success: false, 'error-codes': ['invalid-input-response'] };
    if (used.has(response)) return { success: false, 'error-codes': ['timeout-or-duplicate'] };
    used.add(response);
    return { success: true, ...more };
  };
  const server: Server = createServer((req, res) => {
    let text = '';
    req.on('data', (part: Buffer) => (text += part.toString()));
    req.on('end', () => {
      const fields = Object.fromEntries(new URLSearchParams(text));
      asked.push(fields);
      const { status, body } = fixed ?? { status: 200, body: verdictOf(fields) };
      res.writeHead(status, { 'Content-Type': 'application/json' });
      res.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`,
    asked,
    answer: (status, body) => {
      fixed = { status, body };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
