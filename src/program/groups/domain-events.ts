import { internalEvent } from '../../platform/internal-events.js';

/** A group is about to be deleted: its members leave it. */
export const groupRemoving = internalEvent<{ readonly id: number }>('group.removing');
