/**
 * Extensions add their own lines here:
 * `declare module 'affiliate-service/hooks' { interface CustomHooks { 'my/hook': ActionLine<[number]> } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by declaration merging
export interface CustomHooks {}
