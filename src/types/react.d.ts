// The part of react that frameworks/cms/payload-nav.ts uses; its own types would declare those of the browser.
export declare function createElement(
  type: string,
  properties: Readonly<Record<string, string>>,
  ...children: readonly unknown[]
): object;
