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

/** The header of a screen: title, description and actions. */
export function PageHead({
  title,
  name = title,
  about,
  back,
  actions,
  badge,
}: {
  readonly title: string;
  /** Title in the browser's tab, if it differs from the heading. */
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
  /** Content without padding, e.g. a table. */
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

/** A status as text with a colored dot. */
export const Status = ({ of, label, tone }: { of: string; label?: string; tone?: Tone }): ReactNode => (
  <span className={`fa-status fa-${tone ?? TONES[of] ?? 'gray'}`}>
    <span className="fa-dot" aria-hidden="true" />
    {label ?? statusText(of)}
  </span>
);

/** Translated statuses of affiliates, commissions, payments and creatives. */
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

/** Lets an e-mail address break after its punctuation only. */
function withBreaks(value: ReactNode): ReactNode {
  if (typeof value !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(value)) return value;
  return value.split(/(?<=[@._+-])/).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** A description list. */
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
              withBreaks(value)
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
  /** Change since the previous period as a share: 0.12 is +12%. */
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
  <div
    className="fa-figures"
    style={{ '--fa-chars': longest(figures), '--fa-columns': columnsOf(figures.length) } as CSSProperties}
  >
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

/** Many figures stand in two rows that are about as long. */
const columnsOf = (count: number): number => (count > 7 ? Math.ceil(count / 2) : count);

/** The longest figure decides the font size, so that it fits on one line. */
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

/** An empty state: what belongs here, and the next action. */
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

/** An error with its sentence, code and an action. */
export function Problem({
  error,
  again,
  page = false,
}: {
  readonly error: unknown;
  readonly again?: () => void;
  /** Replaces the whole screen. */
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

/** Goes back, or to the first screen if there is no history. */
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

/** The state of a query: skeleton, error with Retry, or the response. */
export function Loaded<T>({
  of,
  children,
  lines,
  page = false,
}: {
  /** The response has the only heading of the screen. */
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

/** A text with a copy button. */
export const Copyable = ({ value }: { value: string }): ReactNode => (
  <span className="fa-copyable">
    <code>{value}</code>
    <Copy value={value} />
  </span>
);

/** An avatar, or the initials. */
export const Picture = ({
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
    <Picture name={name} src={avatar} size={30} />
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

/** A URL that is truncated to its column; a hint shows it in full. */
export const Clip = ({ whole, children = whole }: { whole: string; children?: ReactNode }): ReactNode => (
  <span className="fa-clip" title={whole} dir="ltr">
    {children}
  </span>
);

/** A link within the app. */
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

/** Scrolls the active tab into view. */
export function useOpenInView(open: string | undefined): RefObject<HTMLElement | null> {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current
      ?.querySelector('[aria-selected=true], [aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [open]);
  return strip;
}

/** Tabs whose active tab is stored in the URL. */
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

/** Error boundary: a crash inside does not affect the rest of the page. */
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
