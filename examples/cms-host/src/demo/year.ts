import {
  dispute,
  order,
  payout,
  refund,
  renewal,
  returned,
  testProgram,
  wait,
  type Step,
} from 'affiliate-service/testing';

/** A year of a program in a minute, in memory: `npm run demo`. `SEED` chooses another year. */
const MONTHS = 12;
const AFFILIATES = ['alice', 'bob', 'carol'];

/** What happens in a month: sales of each affiliate, now and then a return, a dispute or a payment that comes back. */
function storyOf(month: number): readonly Step[] {
  const sales = AFFILIATES.flatMap((affiliate, at): Step[] => [
    { do: 'click', affiliate },
    order({ subscription: { id: `S-${month}-${at}`, phase: 'first' } }),
    ...(month % 2 === 0 ? [renewal()] : []),
    ...(month % 3 === at ? [refund('5.00')] : []),
  ]);
  const trouble = month % 4 === 3 ? [dispute(), wait('3d'), dispute('won')] : [];
  return [...sales, ...trouble, wait('28d'), payout(), ...(month % 6 === 5 ? [returned()] : []), wait('3d')];
}

const program = await testProgram({ seed: Number(process.env['SEED'] ?? 1), now: '2026-01-01T09:00:00Z' });
const inUnits = (minor: number): string => (minor / 100).toFixed(2).padStart(10);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

say('month        earned      paid  events  mails');
for (let month = 0; month < MONTHS; month += 1) {
  const { now } = program;
  const played = await program.play(storyOf(month));
  await program.check();
  const entries = played.flatMap(({ ledger }) => ledger);
  const earned = entries.reduce((sum, { total }) => sum + total, 0);
  const paid = entries
    .filter(({ kind }) => kind === 'paid' || kind === 'payment_reversed')
    .reduce((sum, { unpaid }) => sum - unpaid, 0);
  const count = (of: (step: (typeof played)[number]) => readonly unknown[]): string =>
    String(played.flatMap(of).length).padStart(6);
  say(
    `${now.toISOString().slice(0, 7)} ${inUnits(earned)} ${inUnits(paid)}  ` +
      `${count(({ events }) => events)} ${count(({ mails }) => mails)}`,
  );
}
say('The books balance.');
await program.close();
