/**
 * How a part ends. What it set out to show is told as seen only when nothing was wrong;
 * else it stands there as what was expected, with what was found instead.
 */
export function verdict({ outcome = '', problems }) {
  if (problems.length === 0) return `${outcome === '' ? '' : `Seen: ${outcome}\n\n`}Nothing wrong.`;
  const more = problems.length > 20 ? `; and ${problems.length - 20} more` : '';
  const wrong = `Wrong: ${problems.slice(0, 20).join('; ')}${more}`;
  return outcome === '' ? wrong : `Not all of this was seen: ${outcome}\n\n${wrong}`;
}
