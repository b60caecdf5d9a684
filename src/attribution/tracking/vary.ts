import type { ServerResponse } from 'node:http';

export function addVary(res: ServerResponse, name: string): void {
  const present = res.getHeader('Vary');
  if (present === undefined) {
    res.setHeader('Vary', name);
    return;
  }
  const names = String(present)
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  if (!names.some((each) => each === '*' || each.toLowerCase() === name.toLowerCase()))
    res.setHeader('Vary', [...names, name].join(', '));
}
