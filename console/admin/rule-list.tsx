import type { ReactNode } from 'react';
import { factText, rewardWords } from '../../src/core/rewards/terms.js';
import { boot } from '../shared/boot.js';
import type { AnswerOf } from '../shared/data.js';
import { sentenceIn } from '../shared/rewards.js';
import { t } from '../shared/texts.js';

export type Explained = AnswerOf<'rewards.try'>['tried']['rules'];
type Seen = NonNullable<Explained['others'][number]['condition']>;

/** The rules and rates that counted with what they gave, and why other rules did not. */
export const RuleList = ({ rules: { counted, others } }: { rules: Explained }): ReactNode => (
  <ul className="fa-rules">
    {counted.map((rule, at) => (
      <li key={at}>
        <span>✓ {sentenceIn(rule.sentences)}</span>
      </li>
    ))}
    {others.map((rule) => (
      <li key={rule.key} className="fa-faint">
        <span>
          {rule.title}: {whyNot(rule)}
        </span>
        {rule.condition && <Conditions seen={rule.condition} />}
      </li>
    ))}
  </ul>
);

function whyNot({ outcome, left_out: left }: Explained['others'][number]): string {
  if (outcome === 'later') return t('another rule came first');
  if (outcome === 'no_match') return t('its condition is not met');
  if (left === 'scope') return t('not for this affiliate or link');
  if (left === 'every') return t('not for this sale');
  if (left === 'months' || left === 'payments') return t('too late in the subscription');
  return t('not for this kind of order');
}

/** Each comparison with the value it saw. */
function Conditions({ seen }: { seen: Seen }): ReactNode {
  const { locale } = boot();
  const words = rewardWords(locale);
  const own = seen as Seen & { fact?: string; op?: string; value?: unknown; seen?: readonly unknown[] };
  if (own.fact === undefined)
    return (
      <>
        {(seen.parts as readonly Seen[]).map((part, at) => (
          <Conditions key={at} seen={part} />
        ))}
      </>
    );
  const marks: Readonly<Record<string, string>> = { true: '✓', false: '✗', unknown: '?' };
  const values = (own.seen ?? []).map(String).join(', ');
  return (
    <span className="fa-seen">
      {marks[String(seen.result)]} {factText(own.fact, locale)} {words.ops[own.op as 'eq']}{' '}
      {String(own.value)} · {values === '' ? t('not known') : t('was {value}', { value: values })}
    </span>
  );
}
