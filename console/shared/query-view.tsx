import type { ReactNode } from 'react';
import { useRead, type ResponseOf, type InputOf, type OperationId } from './data.js';
import { Loaded } from './parts.js';

/** Reads an operation and renders its response; until then a skeleton, or an error with Retry. */
export function QueryView<Id extends OperationId>({
  of,
  input,
  fresh = false,
  ...loaded
}: {
  readonly of: Id;
  readonly input?: InputOf<Id>;
  /** Hides the response of the previous input while the next one loads. */
  readonly fresh?: boolean;
  readonly page?: boolean;
  readonly lines?: number;
  readonly children: (data: ResponseOf<Id>) => ReactNode;
}): ReactNode {
  return <Loaded of={useRead(of, input, { keep: !fresh })} {...loaded} />;
}
