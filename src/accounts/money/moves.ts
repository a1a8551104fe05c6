/**
 * Money moves in six ways, each of them one transaction, and on PostgreSQL mostly one statement.
 */
import type { WriteOptions } from '../database.js';
import type { AccountStore, ReservationRef } from '../store.js';

/** The methods of the store that touch balances and reservations. */
export interface MoneyMoves extends Pick<AccountStore, 'reserve' | 'extend' | 'holds' | 'end' | 'drop'> {
  /** Returns a reservation that no caller ended; false where it is not open, or its lease runs. */
  interrupt(reservation: Pick<ReservationRef, 'id' | 'keyId'>, time: string, whose: 'lapsed' | 'all'): Promise<boolean>;
}

/**
 * A reservation may be lost with the power: its server dies too, and it would be returned anyway.
 */
export const takingOn = ({ keyId }: Pick<ReservationRef, 'keyId'>): WriteOptions => ({
  durable: false,
  takesOn: true,
  keyId,
});
