import { lookup } from 'node:dns/promises';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import ipaddr from 'ipaddr.js';

const TIMEOUT_MS = 5000;

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveAll: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** An address of the public internet; private, local, mapped, translated and reserved ones are none. */
export const isPublicAddress = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/**
 * One HEAD request (connected-sites §3.9): resolved once, every address public, connected to the very address that was checked,
 * no redirect followed. Any answer counts; the answer itself goes nowhere.
 */
export async function isReachable(address: string, resolve: Resolve = resolveAll): Promise<boolean> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = ipaddr.isValid(host) ? [host] : await resolve(host).catch(() => []);
  const [target] = addresses;
  if (target === undefined || !addresses.every(isPublicAddress)) return false;
  return answers(url, { host: target, servername: ipaddr.isValid(host) ? '' : host });
}

function answers(url: URL, target: { host: string; servername: string }): Promise<boolean> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options: RequestOptions & { servername: string } = {
    ...target, method: 'HEAD', path: url.pathname, headers: { Host: url.host }, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(url.port === '' ? {} : { port: url.port }),
  };
  return new Promise((done) => {
    send(options, (answer) => { answer.destroy(); done(true); }).once('error', () => done(false)).end();
  });
}
