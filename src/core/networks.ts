import ipaddr from 'ipaddr.js';

export interface Network {
  readonly base: ReturnType<typeof ipaddr.process>;
  readonly bits: number;
}

/** An address or a network (`10.0.0.0/8`); null when the text is neither. */
export function readNetwork(text: string): Network | null {
  const [, address = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  const base = ipaddr.process(address);
  const width = base.kind() === 'ipv4' ? 32 : 128;
  // `::ffff:10.0.0.0/104` counts the 96 bits before the IPv4 address.
  const mapped = width === 32 && address.includes(':') ? 96 : 0;
  const bits = length === undefined ? width : Math.max(0, Number(length) - mapped);
  return bits > width ? null : { base, bits };
}

/** Is this more than the largest private network (`10.0.0.0/8`, `fc00::/7`)? */
export const isWiderThanPrivate = ({ base, bits }: Network): boolean =>
  bits < (base.kind() === 'ipv4' ? 8 : 7);
