import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
    previous: Record<string, unknown>;
  };
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What the next requests are answered with; 200 when the list is empty. */
  readonly answers: ((res: ServerResponse, req: IncomingMessage) => void)[];
  close(): Promise<void>;
}

/** An endpoint on loopback that keeps what it is sent. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver['answers'] = [];
  const server: Server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const text = Buffer.concat(parts).toString();
      received.push({
        headers: req.headers as Record<string, string>,
        text,
        body: JSON.parse(text) as Received['body'],
      });
      const answer = answers.shift();
      if (answer) answer(res, req);
      else res.end('ok');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
