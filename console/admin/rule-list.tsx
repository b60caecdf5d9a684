import type { ReactNode } from 'react';
import { factText, rewardWords } from '../../src/core/rewards/terms.js';
import { boot } from '../shared/boot.js';
import type { ResponseOf } from '../shared/data.js';
import { sentenceIn } from '../shared/rewards.js';
import { t } from '../shared/texts.js';

export type Explanation = ResponseOf<'rewards.try'>['tried']['rules'];
type CheckedCondition = NonNullable<Explanation['others'][number]['condition']>;

/** The rules and rates that applied with their results, and why other rules did not apply. */
export const RuleList = ({ rules: { counted, others } }: { rules: Explanation }): ReactNode => (
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

function whyNot({ outcome, left_out: left }: Explanation['others'][number]): string {
  if (outcome === 'later') return t('another rule came first');
  if (outcome === 'no_match') return t('its condition is not met');
  if (left === 'scope') return t('not for this affiliate or link');
  if (left === 'every') return t('not for this sale');
  if (left === 'months' || left === 'payments') return t('too late in the subscription');
  return t('not for this kind of order');
}

/** Each comparison with the actual value. */
function Conditions({ seen }: { seen: CheckedCondition }): ReactNode {
  const { locale } = boot();
  const words = rewardWords(locale);
  const own = seen as CheckedCondition & {
    fact?: string;
    op?: string;
    value?: unknown;
    seen?: readonly unknown[];
  };
  if (own.fact === undefined)
    return (
      <>
        {(seen.parts as readonly CheckedCondition[]).map((part, at) => (
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
