export function faultsOfRequest(
  payer: 'paypal' | 'stripe' | 'wise',
  request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly text: string;
  },
): string[];
