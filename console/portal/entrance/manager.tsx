import { Button, PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBoot, send } from '../../shared/boot.js';
import type { ResponseOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { usePageTitle } from '../../shared/page-title.js';
import { QueryView } from '../../shared/query-view.js';
import { ruleOf } from '../../shared/signup-input.js';
import { Brand } from '../../shared/shell.js';
import { t } from '../../shared/texts.js';

type Invited = ResponseOf<'registration.invited_manager'>;

/** Accepts a manager invitation, with the current account or a new one. */
export function ManagerInvitation({ code }: { code: string }): ReactNode {
  const { program } = useBoot();
  const title = t('Help with the affiliate program of {site}', { site: program.siteName });
  usePageTitle([title]);
  return (
    <div className="fa-entrance">
      <header className="fa-entrance-top">
        <Brand />
      </header>
      <main className="fa-entrance-main fa-signup" id="fa-main">
        <h1>{title}</h1>
        <section className="fa-panel fa-signup-form">
          <div className="fa-panel-body fa-stack">
            <QueryView of="registration.invited_manager" input={{ query: { key: code } }} fresh lines={4}>
              {(invited) => <Accept code={code} invited={invited} />}
            </QueryView>
          </div>
        </section>
      </main>
    </div>
  );
}

function Accept({ code, invited }: { code: string; invited: Invited }): ReactNode {
  const { user, program, signInUrl } = useBoot();
  const login = signInUrl ?? program.loginUrl;
  const rights = (
    <ul>
      {invited.permissions.map((key) => (
        <li key={key}>{rightText(key)}</li>
      ))}
    </ul>
  );
  const isOther = user !== null && user.email.toLowerCase() !== invited.email.toLowerCase();
  if (user === null && (invited.has_account || !invited.supported))
    return (
      <>
        <p>{t('Sign in as {email} to accept. You may:', { email: invited.email })}</p>
        {rights}
        {login !== null && (
          <Button component="a" href={login}>
            {t('Sign in')}
          </Button>
        )}
      </>
    );
  return (
    <>
      <p>{isOther ? otherText(invited.email, user.email) : t('You may:')}</p>
      {!isOther && rights}
      {!isOther && <AcceptForm code={code} isNew={user === null} />}
    </>
  );
}

const otherText = (email: string, own: string): string =>
  t('This invitation is for {email}. You are signed in as {own}.', { email, own });

function AcceptForm({ code, isNew }: { code: string; isNew: boolean }): ReactNode {
  const form = useForm(
    { full_name: '', username: '', password: '', conf_password: '' },
    async (values) => {
      const { console_url: url } = await send('registration.accept_manager', {
        body: { key: code, ...(isNew && values) },
      });
      window.location.assign(url);
    },
    undefined,
    { creates: true },
  );
  return (
    <FormFrame form={form} always yes={t('Accept the invitation')}>
      {isNew && (
        <>
          <TextInput label={t('Full name')} autoComplete="name" required {...form.text('full_name')} />
          <TextInput
            label={t('Username')}
            description={ruleOf('username')}
            autoComplete="username"
            required
            {...form.text('username')}
          />
          <PasswordInput
            label={t('Password')}
            description={ruleOf('password')}
            autoComplete="new-password"
            required
            {...form.text('password')}
          />
          <PasswordInput
            label={t('Repeat the password')}
            autoComplete="new-password"
            required
            {...form.text('conf_password')}
          />
        </>
      )}
    </FormFrame>
  );
}

function rightText(key: string): string {
  const texts: Readonly<Record<string, string>> = {
    read_all_affiliates: t('read affiliates'),
    manage_all_affiliates: t('change affiliates'),
    read_all_referrals: t('read commissions'),
    manage_all_referrals: t('change commissions'),
    read_all_visits: t('read clicks'),
    read_all_payouts: t('read payouts'),
    manage_all_payouts: t('make payouts'),
    manage_all_data: t('change everything'),
    send_messages: t('write to affiliates'),
  };
  return texts[key] ?? key;
}
