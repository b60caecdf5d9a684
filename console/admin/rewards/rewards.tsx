import { Button, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { rewardWords } from '../../../src/core/rewards/terms.js';
import { useAddress } from '../../shared/address.js';
import { boot } from '../../shared/boot.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { useRead, useWrite } from '../../shared/data.js';
import { date, DateTime } from '../../shared/dates.js';
import { AppLink, Empty, Panel, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { t, tn } from '../../shared/texts.js';
import { rulesOf, type RewardSet } from './draft.js';
import { ruleText, SetPage, stateText } from './editor.js';
import { scopeText } from './rule-card.js';
import { draftsOfTemplate, templates } from './templates.js';
import './rewards.css';

const SCOPES = ['link', 'affiliate', 'group', 'program'] as const;
const EVENTS = ['sale', 'renewal', 'lead', 'activation', 'bonus'] as const;

/** Reward rules: active ones, drafts and templates. */
export function Rewards(): ReactNode {
  const open = Number(useAddress().get('set'));
  return open > 0 ? <SetPage key={open} id={open} /> : <All />;
}

function All(): ReactNode {
  const facts = useRead('rewards.facts');
  const create = useWrite('rewards.create', { done: null });
  const address = useAddress();
  const kinds = new Map((facts.data?.facts ?? []).map(({ fact, kind }) => [fact, kind]));
  const begin = (body: Parameters<typeof create.run>[0]): void => {
    create.run(body).then(
      ({ reward_rules: made }) => address.set({ set: made.id }),
      () => undefined,
    );
  };
  return (
    <QueryView of="rewards.list" input={{ query: { per_page: 50 } }} lines={8}>
      {({ reward_rules: { data: sets }, terms_public: isPublic }) => {
        const active = sets.find(({ state }) => state === 'active');
        return (
          <div className="fa-stack">
            <Active set={active} onEdit={(from) => begin({ body: { from } })} />
            <Panel
              title={t('Start with a template')}
              about={t('Creates a draft. It has no effect until you activate it.')}
            >
              <div className="fa-templates">
                {templates().map((template) => (
                  <button
                    key={template.key}
                    type="button"
                    disabled={create.running || facts.data === undefined}
                    onClick={() =>
                      begin({
                        body: { rules: rulesOf(draftsOfTemplate(template), kinds), note: template.name },
                      })
                    }
                  >
                    <strong>{template.name}</strong>
                    <span className="fa-faint">{template.about}</span>
                  </button>
                ))}
                <button
                  type="button"
                  disabled={create.running}
                  onClick={() => begin({ body: { rules: [] } })}
                >
                  <strong>{t('Empty draft')}</strong>
                  <span className="fa-faint">{t('Write every rule yourself.')}</span>
                </button>
              </div>
            </Panel>
            {sets.length > 0 && (
              <Panel title={t('Rule sets')} flush>
                <Sheet
                  rows={sets}
                  rowKey={(set) => String(set.id)}
                  columns={[
                    {
                      label: t('Version'),
                      cell: (set) => (
                        <AppLink href={`/settings/rewards?set=${set.id}`}>
                          {t('Rule set {version}', { version: set.version })}
                        </AppLink>
                      ),
                    },
                    {
                      label: t('Status'),
                      cell: (set) => (
                        <Status
                          of={set.state}
                          label={stateText(set.state)}
                          tone={set.state === 'active' ? 'green' : 'gray'}
                        />
                      ),
                    },
                    {
                      label: t('Counts from'),
                      cell: (set) => (set.effective_from === null ? '—' : date(set.effective_from)),
                    },
                    { label: t('Changed'), cell: (set) => <DateTime at={set.updated_at} /> },
                    { label: t('Note'), cell: (set) => set.note, faint: true },
                  ]}
                />
              </Panel>
            )}
            <PublicTerms isPublic={isPublic === 'yes'} />
          </div>
        );
      }}
    </QueryView>
  );
}

function Active({ set, onEdit }: { set: RewardSet | undefined; onEdit: (from: number) => void }): ReactNode {
  const retire = useWrite('rewards.retire', { quiet: true });
  if (set === undefined)
    return (
      <Panel title={t('Active rules')}>
        <Empty
          title={t('No reward rules are active')}
          text={t(
            'Affiliate, group and program rates apply. Rules can vary by order, customer, product, subscription or month.',
          )}
        />
      </Panel>
    );
  const words = rewardWords(boot().locale);
  const parts = EVENTS.flatMap((event) =>
    SCOPES.map((scope) => ({
      key: `${event}:${scope}`,
      title: `${words.events[event]} · ${scopeText(scope)}`,
      rules: set.rules
        .filter((rule) => rule.event === event && rule.scope === scope)
        .toSorted((a, b) => b.priority - a.priority),
    })),
  ).filter(({ rules }) => rules.length > 0);
  return (
    <Panel
      title={t('Active rules')}
      about={t(
        'The first matching rule applies. If none matches, the affiliate, group or program rate applies.',
      )}
      actions={
        <>
          <Button onClick={() => onEdit(set.id)}>{t('Change in a new draft')}</Button>
          <ConfirmButton
            variant="default"
            question={{
              title: t('End these rules?'),
              text: t('New orders use affiliate, group and program rates again. Recorded commissions stay.'),
              yes: t('End the rules'),
              danger: true,
              run: () => retire.run({ params: { id: set.id } }),
            }}
          >
            {t('End…')}
          </ConfirmButton>
        </>
      }
    >
      <div className="fa-stack">
        {parts.map(({ key, title, rules }) => (
          <section key={key}>
            <h3>{title}</h3>
            <ul className="fa-rules">
              {rules.map((rule) => (
                <li key={rule.key}>{ruleText(rule)}</li>
              ))}
            </ul>
          </section>
        ))}
        {set.levels !== null && (
          <p className="fa-faint">
            {tn(
              '{count} level moves affiliates between groups.',
              '{count} levels move affiliates between groups.',
              set.levels.steps.length,
            )}
          </p>
        )}
      </div>
    </Panel>
  );
}

function PublicTerms({ isPublic }: { isPublic: boolean }): ReactNode {
  const save = useWrite('rewards.save_terms');
  return (
    <Panel title={t('Public terms')} about={t('Your site can show the active rules that apply to everyone.')}>
      <Switch
        label={t('Make the terms public')}
        checked={isPublic}
        disabled={save.running}
        onChange={(event) => save.press({ body: { public: event.currentTarget.checked ? 'yes' : 'no' } })}
      />
    </Panel>
  );
}
