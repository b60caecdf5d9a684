// What the admin pages change goes through the REST interface: session cookie, nonce, JSON.
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? '';
const base = meta('api-base');
let nonce = meta('api-nonce');
const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

async function call(method, path, body, headers = {}) {
  const init = {
    method,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', 'X-WP-Nonce': nonce, ...headers },
  };
  const answer = await fetch(base + path, init);
  nonce = answer.headers.get('X-WP-Nonce') || nonce;
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.message || `The server answered ${answer.status}.`);
  return data;
}

/** Runs an action with its button switched off, and shows what went wrong. */
async function run(button, action) {
  const error = document.getElementById('error');
  error.hidden = true;
  button.disabled = true;
  try {
    await action();
  } catch (problem) {
    error.textContent = problem.message;
    error.hidden = false;
    error.scrollIntoView({ block: 'nearest' });
  } finally {
    button.disabled = false;
  }
}

const filled = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));

const element = (tag, text, attributes = {}) =>
  Object.assign(document.createElement(tag), { textContent: text, ...attributes });

for (const button of document.querySelectorAll('[data-paid]')) {
  button.addEventListener('click', () => {
    void run(button, async () => {
      await call('PATCH', button.dataset.paid, { status: 'paid' });
      location.reload();
    });
  });
}

const affiliateForm = document.getElementById('affiliate-form');
affiliateForm?.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(affiliateForm.querySelector('[type=submit]'), async () => {
    const { user_id, rate, payment_email } = filled(affiliateForm);
    const terms = rate === undefined ? { rate_type: 'default' } : { rate_type: 'percentage', rate };
    await call('POST', '/affiliates', {
      user_id: Number(user_id),
      status: 'active',
      payment_email,
      ...terms,
    });
    location.reload();
  });
});

const payoutForm = document.getElementById('payout-form');
const preview = document.getElementById('preview');
payoutForm?.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(payoutForm.querySelector('[type=submit]'), async () => {
    const config = filled(payoutForm);
    showPreview(config, await call('POST', '/payouts/validate-payout-config', { config }));
  });
});
payoutForm?.addEventListener('input', () => preview.replaceChildren());

function showPreview(
  config,
  { payable_affiliates: affiliates, payable_total_amount: total, preview_token: token },
) {
  if (affiliates.length === 0) {
    preview.replaceChildren(element('p', 'Nothing to pay: no unpaid referrals fit.', { className: 'empty' }));
    return;
  }
  const list = element('ul', '', { className: 'payable' });
  for (const affiliate of affiliates) {
    const line = element('li', '');
    const count = affiliate.payable_referral_count;
    line.append(
      element('span', affiliate.user_details.full_name || `Affiliate ${affiliate.id}`),
      element('span', `${count} referral${count === 1 ? '' : 's'}`),
      element('strong', money.format(affiliate.total_payable_amount)),
    );
    list.append(line);
  }
  const button = element('button', `Process payout of ${money.format(total)}`, {
    type: 'button',
    id: 'process',
  });
  // One key per preview: pressing twice, or again after a lost answer, pays once.
  const key = globalThis.crypto.randomUUID?.() ?? String(Math.random()).slice(2);
  button.addEventListener(
    'click',
    () =>
      void run(button, async () => {
        const { payout } = await call(
          'POST',
          '/payouts/process-payout',
          { config: { ...config, preview_token: token } },
          { 'Idempotency-Key': key },
        );
        location.assign(`/admin/payouts/${payout.id}`);
      }),
  );
  preview.replaceChildren(list, button);
}
