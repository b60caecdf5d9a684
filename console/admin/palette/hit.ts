/** Something that a search finds. */
export interface Hit {
  /** The screen that it opens; unique in the list. */
  readonly href: string;
  readonly title: string;
  /** What it is, and whose. */
  readonly kind: string;
  /** Other words for it. */
  readonly words?: string;
  /** Done instead of opening a screen. */
  readonly run?: () => void;
}
