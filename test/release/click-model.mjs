// The rules of docs/tracking.md §3, §4, §5 in their plainest form, on a list of requests:
// who counts as a new visit, who is known, who is too many.
// Nothing of the library is used. Where a limit lets only some of a round in, the answers say which;
// how many they may be is computed.

const WINDOW = 30 * 60_000;
const HOUR = 60 * 60_000;
const FLOOD = 100;

/**
 * `rounds`: lists of `{ at, visitor, address, affiliate, holder, message, visit }` whose requests ran at the
 * same time; `holder` is the affiliate of the cookie that was sent.
 * Returns the visits there must be and every answer that differs from the rule.
 */
export function judgeClicks(rounds) {
  const last = new Map(); // visitor and affiliate → the visit that counted
  const floods = new Map(); // address → new visits in its running hour
  const visits = new Map(); // id → affiliate
  const wrong = [];
  for (const [round, log] of rounds.entries()) {
    const complain = (what, click) => {
      wrong.push(`round ${round + 1}, visitor ${click.visitor}, affiliate ${click.affiliate}: ${what}`);
    };
    const held = log.filter(({ holder, affiliate }) => holder === affiliate);
    for (const click of held)
      if (click.message !== 'already_exist')
        complain(`${click.message} for a visitor who belongs to the affiliate`, click);
    const newcomers = new Map(); // address → groups that want a visit
    for (const group of grouped(
      log.filter((click) => !held.includes(click)),
      ({ visitor, affiliate }) => `${visitor} ${affiliate}`,
    )) {
      const [click] = group;
      const known = last.get(`${click.visitor} ${click.affiliate}`);
      const repeats = group.map(({ at }) => known !== undefined && known.at > at - WINDOW);
      if (new Set(repeats).size !== 1)
        throw new Error('The round lies on the edge of the window: its outcome is not one.');
      if (!repeats[0]) newcomers.set(click.address, [...(newcomers.get(click.address) ?? []), group]);
      else if (group.some(({ message, visit }) => message !== 'success' || visit !== known.id))
        complain(`a repeat was not answered with visit ${known.id}: ${answersOf(group)}`, click);
    }
    for (const [address, groups] of newcomers) {
      const flood = floods.get(address) ?? { points: 0, ends: 0 };
      const times = groups.flat().map(({ at }) => at);
      if (flood.ends <= Math.min(...times) !== flood.ends <= Math.max(...times))
        throw new Error('The round lies on the edge of the hour: its outcome is not one.');
      if (flood.ends <= times[0]) flood.points = 0;
      const admitted = groups.filter((group) => group.some(({ message }) => message === 'success'));
      const room = Math.min(groups.length, FLOOD - flood.points);
      if (admitted.length !== room)
        complain(`${admitted.length} new visits of one address, not ${room}`, groups[0][0]);
      for (const group of groups) {
        const [click] = group;
        const ids = new Set(group.map(({ message, visit }) => (message === 'success' ? visit : message)));
        if (ids.size !== 1) complain(`one visit, several answers: ${[...ids].join()}`, click);
        if (!admitted.includes(group)) {
          if (!ids.has('throttled')) complain([...ids].join(), click);
          continue;
        }
        const [id] = ids;
        if (visits.has(id)) complain(`visit ${id} was given twice`, click);
        visits.set(id, click.affiliate);
        last.set(`${click.visitor} ${click.affiliate}`, { id, at: click.at });
        floods.set(address, {
          points: (flood.points += 1),
          ends: Math.max(flood.ends, ...group.map(({ at }) => at + HOUR)),
        });
        flood.ends = floods.get(address).ends;
      }
    }
  }
  return { visits, wrong };
}

const answersOf = (group) => JSON.stringify(group.map(({ message, visit }) => [message, visit]));

function grouped(list, keyOf) {
  const groups = new Map();
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return [...groups.values()];
}
