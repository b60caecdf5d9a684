import { Button } from '@mantine/core';
import { IconCash, IconLink, IconShoppingBag } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { refreshSession, useBoot } from '../../shared/boot.js';
import { useAddress } from '../../shared/address.js';
import { useRead, useTask, type ResponseOf } from '../../shared/data.js';
import { usePageTitle } from '../../shared/page-title.js';
import { Loaded, Facts, Problem, Waiting } from '../../shared/parts.js';
import { Brand, UserMenu } from '../../shared/shell.js';
import { t } from '../../shared/texts.js';
import { dealFacts } from '../deal/deal.js';
import { Application } from './application.js';
import { keepPending, pendingSignup, type SentCode } from './pending.js';
import { CodeStep } from './code.js';

/** The entrance for visitors, applicants and inactive affiliates: sign-up form, code, or status. */
export function Entrance(): ReactNode {
  const { affiliate, layout } = useBoot();
  const content = affiliate === null ? <Visitor /> : <ApplicationStatus status={affiliate.status} />;
  if (layout === 'embed') return <div className="fa-piece">{content}</div>;
  return (
    <div className="fa-entrance">
      <header className="fa-entrance-top">
        <Brand />
        <EntranceMenu />
      </header>
      <main className="fa-entrance-main" id="fa-main">
        {content}
      </main>
    </div>
  );
}

/** A visitor who opened a screen of the portal has an account, most likely. */
function Visitor(): ReactNode {
  const { user, program, signInUrl } = useBoot();
  const [path] = useLocation();
  const login = signInUrl ?? program.loginUrl;
  return user === null && login !== null && path !== '/' ? <SignInFirst login={login} /> : <SignUp />;
}

function SignInFirst({ login }: { login: string }): ReactNode {
  const { program } = useBoot();
  usePageTitle([t('Sign in to see this page')]);
  return (
    <section className="fa-standing">
      <h1>{t('Sign in to see this page')}</h1>
      <p>{t('It is for affiliates of {site}.', { site: program.siteName })}</p>
      <div className="fa-row">
        <Button component="a" href={login}>
          {t('Sign in')}
        </Button>
        <Button component={Link} href="/" variant="default">
          {t('Become an affiliate')}
        </Button>
      </div>
    </section>
  );
}

function EntranceMenu(): ReactNode {
  const { user, program, signInUrl, homeUrl } = useBoot();
  const login = signInUrl ?? program.loginUrl;
  return (
    <div className="fa-row">
      <Button component="a" href={homeUrl} variant="subtle" color="gray" className="fa-wide-only">
        {program.siteName}
      </Button>
      {user === null && login !== null && (
        <Button component="a" href={login} variant="default">
          {t('Sign in')}
        </Button>
      )}
      <UserMenu />
    </div>
  );
}

function SignUp(): ReactNode {
  const { program, user, signInUrl, layout } = useBoot();
  const form = useRead('registration.form', {});
  const invited = useInvitation();
  const [sent, setSent] = useState<SentCode | null>(pendingSignup);
  const goTo = (step: SentCode | null): void => {
    keepPending(step);
    setSent(step);
  };
  const [isMade, setMade] = useState(false);
  const login = signInUrl ?? program.loginUrl;
  usePageTitle([t('Earn with {site}', { site: program.siteName })]);
  if (isMade) return <AccountCreated login={login} />;
  return (
    <div className="fa-signup">
      <div className="fa-signup-pitch">
        <h1>{t('Earn with {site}', { site: program.siteName })}</h1>
        <p className="fa-lead">
          {t('Tell people about us and get a share of what they buy. Joining costs nothing.')}
        </p>
        <Offer rate={invited.data?.rate ?? null} />
        {invited.error !== null && <Problem error={invited.error} />}
        <ol className="fa-how">
          <Step icon={<IconLink size={18} stroke={1.7} />} title={t('Share your link')}>
            {t('You get your own link to every page, with QR codes and short links.')}
          </Step>
          <Step icon={<IconShoppingBag size={18} stroke={1.7} />} title={t('People buy')}>
            {t('Each order that comes through your link is counted for you.')}
          </Step>
          <Step icon={<IconCash size={18} stroke={1.7} />} title={t('You are paid')}>
            {t('You see every commission, when it is due, and each payment with its statement.')}
          </Step>
        </ol>
      </div>
      <section className="fa-panel fa-signup-form">
        <div className="fa-panel-body">
          {sent !== null && (
            <CodeStep sent={sent} onSent={goTo} onAgain={() => goTo(null)} onMade={() => setMade(true)} />
          )}
          {/* Stays mounted, so that Back keeps the form's values. */}
          <div hidden={sent !== null}>
            <Loaded of={form} lines={10}>
              {(data) =>
                invited.isLoading ? (
                  <Waiting lines={10} />
                ) : data.enabled === 'no' && invited.data === undefined ? (
                  <Note title={t('Sign-up is closed')}>
                    {t('The program isn’t accepting new affiliates now. Please come back later.')}
                  </Note>
                ) : data.supported === 'no' ? (
                  <Note title={t('Sign in first')}>
                    {t('To apply, you need an account at {site}. Sign in or create one, then come back.', {
                      site: program.siteName,
                    })}
                  </Note>
                ) : (
                  <Application
                    form={data}
                    invited={invited.data && { key: invited.key, email: invited.data.email }}
                    onCode={goTo}
                    onMade={() => setMade(true)}
                  />
                )
              }
            </Loaded>
          </div>
          {sent === null && user === null && login !== null && (
            <p className="fa-signup-foot">
              {t('Do you have an account already?')} <a href={login}>{t('Sign in')}</a>
            </p>
          )}
          {user !== null && layout === 'page' && (
            <p className="fa-signup-foot">{t('You apply as {name}.', { name: user.name })}</p>
          )}
        </div>
      </section>
    </div>
  );
}

type Invited = ResponseOf<'registration.invitation'>;

/** The invitation of the opened link. */
function useInvitation(): {
  readonly key: string;
  readonly data: Invited | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
} {
  const key = useAddress().get('invitation');
  const { data, error, isLoading } = useRead(
    'registration.invitation',
    { query: { key } },
    { enabled: key !== '' },
  );
  return { key, data, error, isLoading };
}

/** The terms for new affiliates. */
function Offer({ rate }: { rate: Invited['rate'] }): ReactNode {
  const { data } = useRead('portal.terms');
  if (data === undefined) return <Waiting lines={5} />;
  return (
    <section className="fa-offer" aria-labelledby="fa-offer">
      <h2 id="fa-offer">{t('What you earn')}</h2>
      <Facts facts={dealFacts({ ...data.terms, ...rate })} />
    </section>
  );
}

const Step = ({
  icon,
  title,
  children,
}: {
  icon: ReactNode;
  title: string;
  children: ReactNode;
}): ReactNode => (
  <li>
    <span className="fa-how-icon" aria-hidden="true">
      {icon}
    </span>
    <div>
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  </li>
);

const Note = ({ title, children }: { title: string; children: ReactNode }): ReactNode => (
  <div className="fa-empty">
    <h2 className="fa-empty-title">{title}</h2>
    <p>{children}</p>
  </div>
);

/** The account was created, and the user signs in on the site's own page. */
const AccountCreated = ({ login }: { login: string | null }): ReactNode => (
  <section className="fa-standing">
    <h1>{t('Your account is ready')}</h1>
    <p>{t('Your application was sent. Sign in to see its status.')}</p>
    {login !== null && (
      <Button component="a" href={login}>
        {t('Sign in')}
      </Button>
    )}
  </section>
);

/** The status of an application, or why the account is closed. */
function ApplicationStatus({ status }: { status: string }): ReactNode {
  const terms = useRead('portal.terms', {}, { enabled: status !== 'pending' });
  if (status === 'pending') return <Pending />;
  return <Loaded of={terms}>{(data) => <Closed of={data} />}</Loaded>;
}

function Pending(): ReactNode {
  const { user } = useBoot();
  const asking = useTask(refreshSession);
  usePageTitle([t('We’re reviewing your application')]);
  return (
    <section className="fa-standing">
      <div className="fa-standing-mark fa-amber" aria-hidden="true">
        …
      </div>
      <h1>{t('We’re reviewing your application')}</h1>
      <p>
        {t('We’ll send our decision to {email}. You don’t need to do anything else.', {
          email: user?.email ?? '',
        })}
      </p>
      <ol className="fa-track" aria-label={t('Status of your application')}>
        <li className="fa-track-done">{t('Sent')}</li>
        <li className="fa-track-now" aria-current="step">
          {t('In review')}
        </li>
        <li>{t('Decided')}</li>
      </ol>
      <div className="fa-row">
        <Button variant="default" loading={asking.running} onClick={() => asking.start()}>
          {t('Check again')}
        </Button>
        <BackToSite />
      </div>
    </section>
  );
}

function Closed({ of: { closed, contact } }: { of: ResponseOf<'portal.terms'> }): ReactNode {
  const { title, text } = endOf(closed?.why, useBoot().program.siteName);
  usePageTitle([title]);
  return (
    <section className="fa-standing">
      <div className="fa-standing-mark fa-gray" aria-hidden="true">
        –
      </div>
      <h1>{title}</h1>
      {closed?.reason && <p dir="auto">{t('Reason: {text}', { text: closed.reason })}</p>}
      <p>{text}</p>
      <div className="fa-row">
        {contact && (
          <Button component="a" href={`mailto:${contact}`} variant="default">
            {t('Write to us')}
          </Button>
        )}
        <BackToSite />
      </div>
    </section>
  );
}

type ClosedReason = NonNullable<ResponseOf<'portal.terms'>['closed']>['why'];

/** The status, its meaning and a contact. */
function endOf(
  why: ClosedReason | undefined,
  site: string,
): { readonly title: string; readonly text: string } {
  switch (why) {
    case 'rejected':
      return {
        title: t('Your application was not accepted'),
        text: t(
          'Your links earn no commissions. If you have questions, or something has changed, write to {site}.',
          { site },
        ),
      };
    case 'closed':
      return {
        title: t('Your account was closed'),
        text: t(
          '{site} has closed your account. Your links no longer earn commissions. To ask for the reason or about open payments, write to {site}.',
          { site },
        ),
      };
    case 'left':
      return {
        title: t('You have left the program'),
        text: t(
          'Your links no longer earn commissions. Earned commissions are still paid. To come back, write to {site}.',
          { site },
        ),
      };
    default:
      return {
        title: t('Your account is not active'),
        text: t('Your links no longer earn commissions. To ask for the reason, write to {site}.', { site }),
      };
  }
}

function BackToSite(): ReactNode {
  const { program, homeUrl } = useBoot();
  return (
    <Button component="a" href={homeUrl} variant="subtle" color="gray">
      {t('Back to {site}', { site: program.siteName })}
    </Button>
  );
}
