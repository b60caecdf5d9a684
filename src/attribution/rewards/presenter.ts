import { toIso } from '../../core/dates.js';
import type { RewardSet } from './types.js';
import type { RewardSetDto } from './schemas.js';

export function presentSet(set: RewardSet): RewardSetDto {
  const { id, version, state, note, body, simulation, created_by, edited_by } = set;
  return {
    id,
    version,
    state,
    effective_from: toIso(set.effective_from),
    effective_until: toIso(set.effective_until),
    note,
    rules: body.rules,
    levels: body.levels,
    simulation: simulation && { hash: simulation.hash, ended_at: toIso(simulation.ended_at) },
    created_by,
    edited_by,
    created_at: toIso(set.created_at),
    updated_at: toIso(set.updated_at),
  };
}
