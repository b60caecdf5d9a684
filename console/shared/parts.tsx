import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  CopyButton,
  Skeleton,
  Tabs,
  type ButtonProps,
} from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import {
  Fragment,
  Component,
  Suspense,
  useEffect,
  useRef,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../client/index.js';
import { useAddress } from './address.js';
import { usePageTitle } from './page-title.js';
import { percent, t, word } from './texts.js';
import { sentenceOf } from './toast.js';

/** The head of a screen: where we are, what it is about, what can be done. */
export function PageHead({
  title,
  name = title,
  about,
  back,
  actions,
  badge,
}: {
  readonly title: string;
  /** What the browser's tab says, where the heading says something else. */
  readonly name?: string;
  readonly about?: ReactNode;
  readonly back?: { readonly href: string; readonly label: string };
  readonly actions?: ReactNode;
  readonly badge?: ReactNode;
}): ReactNode {
  const heading = usePageTitle([name, back?.label ?? '']);
  return (
    <header className="fa-head">
      <div className="fa-head-text">
        {back && (
          <Link href={back.href} className="fa-back">
            <span aria-hidden="true" className="fa-back-arrow">
              ←
            </span>{' '}
            {back.label}
          </Link>
        )}
        <div className="fa-head-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {badge}
        </div>
        {about !== undefined && <p className="fa-about">{about}</p>}
      </div>
      {actions && <div className="fa-actions">{actions}</div>}
    </header>
  );
}

export function Panel({
  title,
  about,
  actions,
  children,
  flush = false,
  id,
}: {
  readonly title?: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** The content reaches the edges, e.g. a table. */
  readonly flush?: boolean;
  readonly id?: string;
}): ReactNode {
  return (
    <section className="fa-panel" id={id}>
      {(title !== undefined || actions) && (
        <div className="fa-panel-head">
          <div>
            {title !== undefined && <h2>{title}</h2>}
            {about !== undefined && <p className="fa-about">{about}</p>}
          </div>
          {actions && <div className="fa-actions">{actions}</div>}
        </div>
      )}
      <div className={flush ? 'fa-panel-flush' : 'fa-panel-body'}>
        <Guard>{children}</Guard>
      </div>
    </section>
  );
}

type Tone = 'green' | 'amber' | 'red' | 'blue' | 'gray';
const TONES: Readonly<Record<string, Tone>> = {
  active: 'green',
  paid: 'green',
  valid: 'green',
  sent: 'green',
  ok: 'green',
  done: 'green',
  converted: 'green',
  enabled: 'green',
  completed: 'green',
  processed: 'green',
  unpaid: 'blue',
  processing: 'blue',
  scheduled: 'blue',
  running: 'blue',
  queued: 'blue',
  pending: 'amber',
  hold: 'amber',
  flag: 'amber',
  waiting: 'amber',
  draft: 'gray',
  stale: 'amber',
  rejected: 'red',
  failed: 'red',
  reject: 'red',
  dead: 'red',
  error: 'red',
  invalid: 'red',
  inactive: 'gray',
  cancelled: 'gray',
  expired: 'gray',
  off: 'gray',
  disabled: 'gray',
};

/** A state in words with a dot; colour alone says nothing. */
export const Status = ({ of, label, tone }: { of: string; label?: string; tone?: Tone }): ReactNode => (
  <span className={`fa-status fa-${tone ?? TONES[of] ?? 'gray'}`}>
    <span className="fa-dot" aria-hidden="true" />
    {label ?? statusText(of)}
  </span>
);

/** The states of affiliates, referrals, payments and creatives in the reader's language. */
export function statusText(status: string): string {
  const texts: Readonly<Record<string, string>> = {
    active: t('Active'),
    inactive: t('Inactive'),
    pending: t('Pending'),
    rejected: t('Rejected'),
    unpaid: t('Ready to pay'),
    paid: t('Paid'),
    cancelled: t('Canceled'),
    processing: t('On its way'),
    draft: t('Draft'),
    scheduled: t('Scheduled'),
    expired: t('Expired'),
    failed: t('Failed'),
    sent: t('Sent'),
    hold: t('On hold'),
    flag: t('Marked'),
    off: t('Off'),
    reject: t('Rejected'),
    converted: t('Converted'),
    completed: t('Completed'),
  };
  return texts[status] ?? word(status);
}

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** Pairs of label and value. */
/** An e-mail address breaks after its signs, not in the middle of a word. */
function softly(value: ReactNode): ReactNode {
  if (typeof value !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(value)) return value;
  return value.split(/(?<=[@._+-])/).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}

export const Facts = ({
  facts,
  columns = 1,
}: {
  facts: readonly (Fact | null | false)[];
  columns?: 1 | 2;
}): ReactNode => (
  <dl className={columns === 2 ? 'fa-facts fa-facts-2' : 'fa-facts'}>
    {facts
      .filter((fact): fact is Fact => Boolean(fact))
      .map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {value === null || value === undefined || value === '' ? (
              <span className="fa-faint">—</span>
            ) : (
              softly(value)
            )}
          </dd>
        </div>
      ))}
  </dl>
);

export interface Figure {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  /** Change against the time before, as a share: 0.12 is +12 %. */
  readonly change?: number | null;
  readonly href?: string;
}

export const Figures = ({
  figures,
  loading = false,
}: {
  figures: readonly Figure[];
  loading?: boolean;
}): ReactNode => (
  <div className="fa-figures" style={{ '--fa-chars': longest(figures) } as CSSProperties}>
    {figures.map(({ label, value, note, change, href }) => (
      <div className="fa-figure" key={label}>
        <div className="fa-figure-label">{href ? <Link href={href}>{label}</Link> : label}</div>
        {loading ? (
          <Skeleton height={28} width="60%" mt={6} />
        ) : (
          <div className="fa-figure-value">{value}</div>
        )}
        {(note !== undefined || change !== undefined) && !loading && (
          <div className="fa-figure-note">
            {change !== undefined && <Change share={change} />} {note}
          </div>
        )}
      </div>
    ))}
  </div>
);

/** Figures are as small as the longest one needs to stay on its line. */
const longest = (figures: readonly Figure[]): number =>
  Math.max(1, ...figures.map(({ value }) => (typeof value === 'string' ? value.length : 0)));

export function Change({ share }: { share: number | null }): ReactNode {
  if (share === null || !Number.isFinite(share)) return <span className="fa-faint">—</span>;
  const rounded = Math.round(share * 1000);
  return (
    <span className={`fa-change ${rounded > 0 ? 'fa-up' : rounded < 0 ? 'fa-down' : ''}`}>
      <span aria-hidden="true">{rounded > 0 ? '↑' : rounded < 0 ? '↓' : '→'}</span>
      <span className="fa-hidden">{rounded > 0 ? t('up by') : rounded < 0 ? t('down by') : ''}</span>{' '}
      {percent(Math.abs(share))}
    </span>
  );
}

/** An empty place says what belongs here and what to do next. */
export const Empty = ({
  title,
  text,
  action,
}: {
  title: string;
  text?: ReactNode;
  action?: ReactNode;
}): ReactNode => (
  <div className="fa-empty">
    <div className="fa-empty-title">{title}</div>
    {text !== undefined && <p>{text}</p>}
    {action}
  </div>
);

/** An error in a sentence, its code in small print, and a way on. */
export function Problem({
  error,
  again,
  page = false,
}: {
  readonly error: unknown;
  readonly again?: () => void;
  /** It stands where the whole screen would. */
  readonly page?: boolean;
}): ReactNode {
  const { text, code } = sentenceOf(error);
  const title = page ? <h1>{text}</h1> : text;
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <Alert color="red" variant="light" role="alert" className="fa-problem" title={title}>
      <span className="fa-code">{code}</span>
      {page && <GoBack size="compact-xs" />}
      {again && !isMissing && (
        <Button size="compact-xs" variant="default" onClick={again}>
          {t('Try again')}
        </Button>
      )}
    </Alert>
  );
}

/** To the page before; whoever opened this one by its address comes to the first screen. */
export function GoBack({ size }: { readonly size?: ButtonProps['size'] }): ReactNode {
  const [, go] = useLocation();
  return (
    <Button
      variant="default"
      {...(size !== undefined && { size })}
      onClick={() => {
        if (history.length > 1) history.back();
        else go('/');
      }}
    >
      {t('Go back')}
    </Button>
  );
}

export const Waiting = ({ lines = 4 }: { lines?: number }): ReactNode => (
  <div className="fa-waiting" aria-busy="true">
    <span className="fa-hidden" role="status">
      {t('Loading…')}
    </span>
    {Array.from({ length: lines }, (_, at) => (
      <Skeleton key={at} height={14} width={`${92 - ((at * 17) % 40)}%`} />
    ))}
  </div>
);

/** Content of a reading: skeleton, error with "again", or the answer. */
export function Loaded<T>({
  of,
  children,
  lines,
  page = false,
}: {
  /** The screen has no other heading than the answer's. */
  readonly page?: boolean;
  readonly of: { readonly data: T | undefined; readonly error: unknown; readonly refetch: () => unknown };
  readonly children: (data: T) => ReactNode;
  readonly lines?: number;
}): ReactNode {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return <Problem error={of.error} again={() => void of.refetch()} page={page} />;
  return <Waiting {...(lines !== undefined && { lines })} />;
}

export const Copy = ({ value, label }: { value: string; label?: string }): ReactNode => (
  <CopyButton value={value} timeout={1500}>
    {({ copied, copy }) => (
      <>
        <ActionIcon
          onClick={copy}
          aria-label={copied ? t('Copied') : (label ?? t('Copy'))}
          data-hint={copied ? t('Copied') : (label ?? t('Copy'))}
          size={26}
        >
          {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
        <span className="fa-hidden" role="status">
          {copied && t('Copied')}
        </span>
      </>
    )}
  </CopyButton>
);

/** A text to take along, with a button that copies it. */
export const Copyable = ({ value }: { value: string }): ReactNode => (
  <span className="fa-copyable">
    <code>{value}</code>
    <Copy value={value} />
  </span>
);

/** A picture, or the initials. */
export const Face = ({
  name,
  src,
  size,
}: {
  name: string;
  src?: string | undefined;
  size: number;
}): ReactNode => (
  <span className="fa-face" style={{ width: size, height: size, fontSize: size * 0.37 }} aria-hidden="true">
    {src ? <img src={src} alt="" width={size} height={size} loading="lazy" /> : initials(name)}
  </span>
);

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((part, at, all) => (at === 0 || at === all.length - 1 ? [Array.from(part)[0] ?? ''] : []))
    .join('')
    .toUpperCase();

export const Person = ({
  name,
  about,
  href,
  avatar,
}: {
  name: string;
  about?: string;
  href?: string;
  avatar?: string;
}): ReactNode => (
  <span className="fa-person">
    <Face name={name} src={avatar} size={30} />
    <span className="fa-person-text">
      {href ? (
        <Link href={href} className="fa-strong">
          {name}
        </Link>
      ) : (
        <span className="fa-strong">{name}</span>
      )}
      {about !== undefined && about !== '' && <span className="fa-faint">{about}</span>}
    </span>
  </span>
);

/** A link within the app that looks like one. */
export const AppLink = ({ href, children }: { href: string; children: ReactNode }): ReactNode => (
  <Anchor component={Link} href={href} inherit>
    {children}
  </Anchor>
);

export interface TabItem {
  readonly key: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

/** For a strip that scrolls sideways: what is open in it can be seen. */
export function useOpenInView(open: string | undefined): RefObject<HTMLElement | null> {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current
      ?.querySelector('[aria-selected=true], [aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [open]);
  return strip;
}

/** Tabs whose choice stands in the address. */
export function AddressTabs({
  tabs,
  name = 'tab',
}: {
  tabs: readonly (TabItem | false)[];
  name?: string;
}): ReactNode {
  const address = useAddress();
  const [path, go] = useLocation();
  const shown = tabs.filter((tab): tab is TabItem => tab !== false);
  const open = shown.find(({ key }) => key === address.get(name)) ?? shown[0];
  const strip = useOpenInView(open?.key) as RefObject<HTMLDivElement | null>;
  return (
    <Tabs
      value={open?.key ?? null}
      onChange={(key) => go(key === shown[0]?.key ? path : `${path}?${name}=${key}`)}
      keepMounted={false}
      className="fa-tabs"
    >
      <div className="fa-tabs-scroll" ref={strip}>
        <Tabs.List>
          {shown.map(({ key, label }) => (
            <Tabs.Tab key={key} value={key}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      {shown.map(({ key, content }) => (
        <Tabs.Panel key={key} value={key} pt="lg">
          {open?.key === key && (
            <Guard>
              <Suspense fallback={<Waiting lines={6} />}>{content()}</Suspense>
            </Guard>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** A crash inside leaves the rest of the page standing. */
export class Guard extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <Problem error={this.state.error} again={() => this.setState({ error: null })} />;
  }
}
