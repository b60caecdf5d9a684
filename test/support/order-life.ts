import type { AffiliateService } from '../../src/index.js';
import type {
  BuyerInput,
  ChangeResult,
  ItemInput,
  MoneyInput,
  OrderInput,
  OrderKey,
} from '../../src/sales/conversions/types.js';

/** What a source says anew of an order it has reported before. */
export interface Change {
  readonly order?: OrderInput;
  readonly items?: readonly ItemInput[];
  readonly customer?: BuyerInput | null;
  readonly coupon?: string | null;
  /** Received so far. */
  readonly paid?: MoneyInput;
}

type Conversions = AffiliateService['conversions'];
/** The calls that follow an order through its life. */
export type LivingConversions = Conversions & {
  update(provider: string, key: OrderKey, change: Change): Promise<ChangeResult>;
  complete(provider: string, key: OrderKey, received?: { readonly paid?: MoneyInput }): Promise<ChangeResult>;
};

export const living = (service: AffiliateService): LivingConversions =>
  service.conversions as LivingConversions;
