export interface PayerItem {
  readonly id: string;
  readonly sender: string;
  readonly receiver: string;
  readonly minor: number;
  readonly amount: { readonly currency: string; readonly value: string };
}
export class PaypalPayer {
  constructor(now?: () => number);
  readonly url: string;
  readonly batches: Map<string, { readonly id: string; readonly sender: string; readonly denied: boolean }>;
  readonly bySender: Map<string, { readonly id: string }>;
  readonly items: Map<string, PayerItem>;
  readonly invalid: unknown[];
  requests: number;
  balance: number;
  slowMs: number;
  pageMax: number;
  batchEnd: 'DENIED' | 'CANCELED' | 'PROCESSING' | null;
  feeAfter: number;
  weather: () => string;
  fate: (item: {
    readonly receiver: string;
    readonly sender: string;
  }) => readonly (readonly [number, string])[];
  start(): Promise<this>;
  stop(): void;
  stateOf(item: PayerItem): { readonly state: string; readonly at: number };
  move(item: PayerItem, state: string): void;
  itemOf(transactionId: number): PayerItem[];
  event(item: PayerItem): { readonly headers: Record<string, string>; readonly body: string };
  batchEvent(
    batch: { readonly id: string },
    type: 'PROCESSING' | 'SUCCESS' | 'DENIED',
  ): { readonly headers: Record<string, string>; readonly body: string };
  sign(signature: string): Record<string, string>;
}
