import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { t } from '../../shared/texts.js';
import type { SignupForm } from './signup-form.js';

type Challenge = NonNullable<SignupForm['captcha']>;

/** The global API of all three providers. */
interface Widgets {
  ready?(done: () => void): void;
  render(place: HTMLElement, options: Readonly<Record<string, unknown>>): unknown;
  reset(widget?: unknown): void;
  execute(siteKey: string, options: { readonly action: string }): Promise<string>;
}

const SCRIPTS: Readonly<Record<Challenge['provider'], readonly [url: string, name: string]>> = {
  recaptcha: ['https://www.google.com/recaptcha/api.js', 'grecaptcha'],
  hcaptcha: ['https://js.hcaptcha.com/1/api.js', 'hcaptcha'],
  turnstile: ['https://challenges.cloudflare.com/turnstile/v0/api.js', 'turnstile'],
};

/** The provider's script, loaded once per page. */
async function widgetsOf({ provider, invisible, site_key: key }: Challenge): Promise<Widgets> {
  const [url, name] = SCRIPTS[provider];
  const page = window as unknown as Record<string, Widgets | undefined>;
  if (page[name] === undefined)
    await new Promise<void>((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${url}?render=${invisible ? encodeURIComponent(key) : 'explicit'}`;
      script.addEventListener('load', () => resolve());
      script.addEventListener('error', () => {
        script.remove();
        reject(new Error(`no script from ${url}`));
      });
      document.head.append(script);
    });
  const widgets = page[name] as Widgets;
  await new Promise<void>((resolve) => {
    if (widgets.ready && provider === 'recaptcha') widgets.ready(resolve);
    else resolve();
  });
  return widgets;
}

export interface Captcha {
  readonly box: ReactNode;
  /** The form field with the captcha's response, which is valid for one request. */
  answer(): Promise<Readonly<Record<string, string>>>;
}

/** The captcha of a form, if the program uses one. */
export function useCaptcha(challenge: Challenge | undefined): Captcha {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<{ readonly widgets: Widgets; readonly id: unknown } | null>(null);
  const [token, setToken] = useState('');
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (challenge === undefined || challenge.invisible) return;
    const show = async (): Promise<void> => {
      const widgets = await widgetsOf(challenge);
      if (place.current === null || shown.current !== null) return;
      const id = widgets.render(place.current, {
        sitekey: challenge.site_key,
        callback: setToken,
        'expired-callback': () => setToken(''),
      });
      shown.current = { widgets, id };
    };
    show().catch(() => setFailed(true));
  }, [challenge]);
  /** Empty if the provider cannot be reached; the service then rejects the form. */
  const invisibly = async (asked: Challenge): Promise<string> => {
    try {
      return await (await widgetsOf(asked)).execute(asked.site_key, { action: 'affiliate_register' });
    } catch {
      setFailed(true);
      return '';
    }
  };
  return {
    box: boxOf(challenge, failed, place),
    answer: async () => {
      if (challenge === undefined) return {};
      const given = challenge.invisible ? await invisibly(challenge) : token;
      shown.current?.widgets.reset(shown.current.id);
      setToken('');
      return { [challenge.field]: given };
    },
  };
}

function boxOf(
  challenge: Challenge | undefined,
  failed: boolean,
  place: RefObject<HTMLDivElement | null>,
): ReactNode {
  if (failed)
    return (
      <p role="alert">
        {t('The security check could not be loaded. Allow it in your browser and reload the page.')}
      </p>
    );
  return challenge === undefined || challenge.invisible ? null : <div ref={place} />;
}
