import { usage, type Flags } from './arguments.js';
import { withService, type OpenedService } from './open.js';
import type { Terminal } from './print.js';

/** Prints everything stored about a person as JSON; with --erase, deletes the personal data. */
export async function person(flags: Flags, terminal: Terminal): Promise<number> {
  const { email } = flags;
  if (email === undefined) usage('--email is missing.');
  if (flags.host === undefined)
    terminal.err(
      'Without --host, affiliates are found by their payment address, but not by the address of their account.\n',
    );
  return withService(flags, terminal, async (opened) => {
    const found = await everythingOf(opened, email);
    terminal.out(`${JSON.stringify(found, null, 2)}\n`);
    if (found.buyer === null && found.affiliates.length === 0) {
      terminal.err('Nothing is stored for this address.\n');
      return 1;
    }
    return flags.erase ? erase(opened, email, { found, flags, terminal }) : 0;
  });
}

type Everything = Awaited<ReturnType<typeof everythingOf>>;

async function everythingOf({ app, service }: OpenedService, email: string) {
  const affiliates = [];
  for (const id of await app.affiliates.listing.ids({ search: email, page: 1, per_page: 100 })) {
    const affiliate = await app.affiliates.view(id, { bankDetails: true });
    if (![affiliate.payment_email, affiliate.user_details?.email].some((each) => isSame(each, email)))
      continue;
    affiliates.push({
      affiliate,
      referrals: await allPages((page) => service.referrals.list({ affiliate_id: id, ...page })),
      payments: await allPages((page) =>
        app.payouts.lists.ofAffiliate(id, {
          status: '',
          search: '',
          order_by: 'id',
          order_type: 'ASC',
          ...page,
        }),
      ),
    });
  }
  return { buyer: await service.customers.export(email), affiliates };
}

const isSame = (address: string | null | undefined, email: string): boolean =>
  (address ?? '').trim().toLowerCase() === email.trim().toLowerCase();

const PER_PAGE = 100;

async function allPages<T>(
  list: (page: { page: number; per_page: number }) => Promise<{ rows: readonly T[]; total: number }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const { rows, total } = await list({ page, per_page: PER_PAGE });
    all.push(...rows);
    if (rows.length === 0 || all.length >= total) return all;
  }
}

/**
 * Commissions and payments are not deleted, as the books need them; they no longer contain the person's data.
 */
async function erase(
  { app, service }: OpenedService,
  email: string,
  {
    found,
    flags,
    terminal,
  }: { readonly found: Everything; readonly flags: Flags; readonly terminal: Terminal },
): Promise<number> {
  const { buyer, affiliates } = found;
  terminal.err(
    `To erase: ${buyer === null ? 0 : 1} buyer, ${affiliates.length} affiliates. Commissions and payments stay.\n`,
  );
  if (!(await isConfirmed(flags, terminal))) {
    terminal.err('Nothing was erased. Repeat with --yes.\n');
    return 1;
  }
  if (buyer !== null) await service.customers.forget(email);
  let isComplete = true;
  for (const { affiliate } of affiliates) {
    if (affiliate.user_id === null) {
      isComplete = false;
      terminal.err(`Affiliate ${affiliate.id} has no account: delete the affiliate in the console.\n`);
    } else await app.accounts.forget(affiliate.user_id);
  }
  terminal.err(isComplete ? 'Erased.\n' : 'Erased, except for the affiliates above.\n');
  return isComplete ? 0 : 1;
}

async function isConfirmed(flags: Flags, terminal: Terminal): Promise<boolean> {
  if (flags.yes) return true;
  return /^y/iu.test(((await terminal.ask?.('Erase the personal data? (y/N) ')) ?? '').trim());
}
